import type { Message } from '../../conversation/message.js'
import { ServiceError } from '../../errors.js'
import { extractBoxed } from '../../protocols/boxed.js'
import { compileSchema } from '../../schema/json-schema.js'
import { BOXED_NOTE } from '../guards/final-answer.js'
import { MAX_BOXED_TRIES } from '../limits.js'
import { readObject } from './ask-object.js'
import type { ModelAnswer } from './ask-model.js'
import type { CycleSetup } from './cycle-setup.js'
import type { CycleState } from './cycle-state.js'
import type { EndedBy, TurnResult } from './turn-event.js'

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
