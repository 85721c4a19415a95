import type { Message } from '../../conversation/message.js'
import { ServiceError } from '../../errors.js'
import { extractBoxed } from '../../protocols/boxed.js'
import type { Part, ProtocolId } from '../../protocols/protocol.js'
import { compileSchema } from '../../schema/json-schema.js'
import { clipped } from '../../util/text/clipped.js'
import { type ModelAnswer, mayTakeBack } from '../cycle/ask-model.js'
import { readObject } from '../cycle/ask-object.js'
import type { CycleSetup } from '../cycle/cycle-setup.js'
import type { CycleState } from '../cycle/cycle-state.js'
import type { EndedBy, TurnResult } from '../cycle/turn-event.js'
import { MAX_BOXED_TRIES, MAX_ROLLBACKS } from '../limits.js'
import { BOXED_NOTE } from './final-answer.js'

/** Why a message is retracted. */
export type RollbackReason = 'format' | 'refusal' | 'duplicate' | 'repetition' | 'no_tools'

/** The message is retracted, and the model gets the reason. */
export interface Rollback {
  readonly kind: 'rollback'
  readonly reason: RollbackReason
  readonly note: string
}

/** The verdict about a message: `brokenFormat` means that its tags are not a valid call, and its text is used as it is. */
export type AnswerVerdict = Rollback | { readonly kind: 'accept'; readonly brokenFormat: boolean }

const NO_TOOLS_NOTE = 'No tool can be called any more. Answer now, in words.'
/** What asks for an answer again that got stuck. */
const REPETITION_NOTE =
  'Your last message repeated itself over and over, and was not accepted. Answer again, and say everything once.'
/** This many characters at the end of an answer are looked for in the rest of it. */
const REPEATED_CHARACTERS = 50
/** An answer that contains its own end more often than this repeats itself. */
const MAX_REPETITIONS = 5
/** How much of a malformed call the note repeats. */
const MAX_QUOTED = 300
/** What models say that give up early. Compared without case, and with straight apostrophes. */
const REFUSAL_KEYWORDS: readonly string[] = [
  'time constraint',
  "I'm sorry, but I can't",
  "I'm sorry, I cannot solve",
]
const ACCEPTED: AnswerVerdict = { kind: 'accept', brokenFormat: false }

/** Holds a message against the guards that look at its text. */
export function judgeAnswer(
  setup: CycleSetup,
  { counters }: CycleState,
  answer: ModelAnswer,
  isLast: boolean,
): AnswerVerdict {
  const { guards } = setup
  const { text, calls } = answer
  const isOpen = mayTakeBack(setup, answer)
  const mayRollBack = isOpen && counters.rollbacks < MAX_ROLLBACKS
  const taken = (reason: RollbackReason, note: string): Rollback => ({ kind: 'rollback', reason, note })
  if (isLast && calls.length > 0 && text === '' && mayRollBack) return taken('no_tools', NO_TOOLS_NOTE)
  const format = formatNote(answer.parts, setup.protocol?.id ?? 'native')
  if (format !== undefined) {
    return guards.format && mayRollBack ? taken('format', format) : { kind: 'accept', brokenFormat: true }
  }
  const refusal =
    guards.refusal === false
      ? undefined
      : refusalNote(
          { text, calls: calls.length > 0, isBoxed: () => extractBoxed(text) !== undefined },
          keywordsOf(guards.refusal),
        )
  if (refusal !== undefined && mayRollBack) return taken('refusal', refusal)
  const isStuck =
    isOpen && guards.repetition && !counters.repeated && calls.length === 0 && repeatsItself(text)
  return isStuck ? taken('repetition', REPETITION_NOTE) : ACCEPTED
}

function keywordsOf(setting: true | readonly string[]): readonly string[] {
  return setting === true ? REFUSAL_KEYWORDS : setting
}

/**
 * The note that asks for a message again whose tags were no call, with the exact errors; undefined if there is nothing to
 * ask for: without malformed parts, or beside a whole call, which runs. It is sent with the next request and never stored.
 *
 * @param parts Of the whole message.
 */
export function formatNote(parts: readonly Part[], protocol: ProtocolId): string | undefined {
  if (protocol === 'native' || parts.some(({ kind }) => kind === 'call')) return undefined
  const problems = malformedNotes(parts)
  if (problems.length === 0) return undefined
  return [
    'Your last message was not accepted: it has the tags of a call, but no call that can be read.',
    ...problems,
    'Write the message again. To call a tool, use exactly the form of the instructions, outside of code blocks; to answer, use none of its tags.',
  ].join('\n')
}

/** One line for every malformed call: for the note, or, beside a whole call, for the results. */
export function malformedNotes(parts: readonly Part[]): string[] {
  return parts
    .filter((part) => part.kind === 'malformed')
    .map(({ reason, raw }) => `- ${reason}: ${quote(raw)}`)
}

function quote(raw: string): string {
  return JSON.stringify(clipped(raw, MAX_QUOTED))
}

/** A message, as far as a refusal is concerned. */
export interface RefusalInput {
  readonly text: string
  /** It has a call. */
  readonly calls: boolean
  /** Whether it has an answer in a box: only asked where it refuses. */
  readonly isBoxed: () => boolean
}

/**
 * The note that asks for a message again that refuses; undefined if it does not, or if it does something all the same.
 *
 * @param keywords An empty list turns the guard off.
 */
export function refusalNote(
  { text, calls, isBoxed }: RefusalInput,
  keywords: readonly string[] = REFUSAL_KEYWORDS,
): string | undefined {
  if (calls) return undefined
  const plain = normalise(text)
  const found = keywords.find((keyword) => keyword !== '' && plain.includes(normalise(keyword)))
  if (found === undefined || isBoxed()) return undefined
  return `Your last message was not accepted: it gives up (${JSON.stringify(found)}). There is time, and you may use the tools. Continue the task.`
}

function normalise(text: string): string {
  return text.toLowerCase().replaceAll('’', "'")
}

/**
 * True if an answer got stuck: it contains its last 50 characters more than five times, the end included, without
 * overlap. Characters are UTF-16 code units; white space at the end does not count.
 */
export function repeatsItself(text: string): boolean {
  const answer = text.trimEnd()
  if (answer.length <= REPEATED_CHARACTERS * MAX_REPETITIONS) return false
  const end = answer.slice(-REPEATED_CHARACTERS)
  let at = 0
  // From the front, which finds as many: backwards, the engine compares every character with nearly all of the end.
  for (let count = 1; count <= MAX_REPETITIONS; count += 1) {
    const found = answer.indexOf(end, at)
    if (found === -1) return false
    at = found + REPEATED_CHARACTERS
  }
  return answer.indexOf(end, at) !== -1
}

/** An answer that counts. */
export interface Settled extends Pick<TurnResult, 'message' | 'endedBy' | 'boxed' | 'value'> {
  readonly kind: 'settled'
}

/** A valid answer, or the note for the model before it is asked once more. */
type Verdict = Settled | { readonly kind: 'again'; readonly note: string | undefined }

/**
 * Whether an answer has the form that is asked for, or is asked for once more. Never invents a box.
 *
 * @throws ServiceError `llm_bad_response` where the model only calls tools although it may not: there is no answer
 */
export function settleAnswer(
  setup: CycleSetup,
  state: CycleState,
  answer: ModelAnswer,
  brokenFormat: boolean,
): Verdict {
  const verdict = judgeForm(setup, state, answer, brokenFormat)
  const isEmpty =
    verdict.kind === 'settled' && verdict.boxed === undefined && !brokenFormat && answer.text === ''
  if (isEmpty && answer.calls.length > 0)
    throw new ServiceError(
      'llm_bad_response',
      'The model called tools again instead of giving its last answer',
    )
  return verdict
}

function judgeForm(
  setup: CycleSetup,
  state: CycleState,
  answer: ModelAnswer,
  brokenFormat: boolean,
): Verdict {
  const said = withoutCalls(answer.message)
  const message = brokenFormat ? { ...said, content: answer.raw } : said
  const endedBy = state.ending ?? (brokenFormat ? 'format' : 'answer')
  const isLastTry = state.counters.answers >= MAX_BOXED_TRIES
  if (setup.answer === 'text') return { kind: 'settled', message, endedBy }
  if (setup.answer === 'boxed') return settleBox(state, message, answer.text, endedBy, isLastTry)
  const read = readObject(answer.text, compileSchema(setup.answer))
  if (read.ok) return { kind: 'settled', message, endedBy, value: read.value }
  if (isLastTry) return { kind: 'settled', message, endedBy: lackingForm(endedBy) }
  return { kind: 'again', note: `Your answer cannot be used: ${read.problem}.` }
}

/** An answer calls nothing: what it asks for beside its words is not run, and would have no result. */
function withoutCalls(message: Message): Message {
  if (message.tool_calls === undefined) return message
  const { tool_calls: _, ...rest } = message
  return { ...rest, role: 'assistant' }
}

function settleBox(
  state: CycleState,
  message: Message,
  text: string,
  endedBy: EndedBy,
  isLastTry: boolean,
): Verdict {
  const boxed = extractBoxed(text)
  if (boxed !== undefined) return { kind: 'settled', message, endedBy, boxed }
  if (!isLastTry) return { kind: 'again', note: state.counters.answers === 0 ? undefined : BOXED_NOTE }
  if (state.boxed !== undefined) return { kind: 'settled', message, endedBy, boxed: state.boxed }
  return { kind: 'settled', message, endedBy: lackingForm(endedBy) }
}

/** A form that is missing is only named where nothing else ended the turn. */
function lackingForm(endedBy: EndedBy): EndedBy {
  return endedBy === 'answer' ? 'format' : endedBy
}
