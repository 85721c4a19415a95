import { extractBoxed } from '../../protocols/boxed.js'
import { callKey } from '../../tools/toolbox.js'
import { DUPLICATE_WARNING, duplicateNote, findDuplicates, type KeyedCall } from '../guards/duplicate.js'
import { formatNote } from '../guards/format.js'
import { LOOP_NOTE, type LoopVerdict, loopVerdict } from '../guards/loop.js'
import { REFUSAL_KEYWORDS, refusalNote } from '../guards/refusal.js'
import { REPETITION_NOTE, repeatsItself } from '../guards/repetition.js'
import { MAX_ROLLBACKS } from '../limits.js'
import { type ModelAnswer, mayTakeBack } from './ask-model.js'
import type { CycleSetup } from './cycle-setup.js'
import type { CycleCounters, CycleState } from './cycle-state.js'
import type { CheckedCall } from './prepare-calls.js'

/** Why a message is taken back. */
export type RollbackReason = 'format' | 'refusal' | 'duplicate' | 'repetition' | 'no_tools'

/** The message is retracted, and the model gets the reason. */
export interface Rollback {
  readonly kind: 'rollback'
  readonly reason: RollbackReason
  readonly note: string
}

/** What becomes of a message: `brokenFormat` says that its tags are no call, and its text is taken as it is. */
export type AnswerVerdict = Rollback | { readonly kind: 'accept'; readonly brokenFormat: boolean }

/** What becomes of a message's calls; the note is read with their results. */
export type CallsVerdict =
  | Rollback
  | { readonly kind: 'accept'; readonly counters: CycleCounters; readonly note: string | undefined }
  | { readonly kind: 'loop' }

const NO_TOOLS_NOTE = 'No tool can be called any more. Answer now, in words.'
/** A verdict on a call looks at no more calls before it. */
const LOOKED_AT = 4
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

/**
 * Holds a message's calls against the guards that look at what was called before in this turn.
 *
 * @param isOpen whether the message may be taken back
 */
export function judgeCalls(
  { guards, toolbox }: CycleSetup,
  { counters }: CycleState,
  prepared: readonly CheckedCall[],
  isOpen = true,
): CallsVerdict {
  const keyed = prepared.map(({ call }): KeyedCall => {
    const tool = toolbox.get(call.name)
    return { name: call.name, key: callKey(call, tool), readOnly: tool?.readOnly === true }
  })
  const duplicates = guards.duplicate ? findDuplicates(keyed, new Set(counters.succeeded)) : []
  if (isOpen && duplicates.length > 0 && counters.rollbacks < MAX_ROLLBACKS) {
    return { kind: 'rollback', reason: 'duplicate', note: duplicateNote(duplicates) }
  }
  const keys = keyed.map(({ key }) => key)
  const loop = guards.loop ? loopOf(counters.calls, keys) : 'run'
  if (loop === 'stop') return { kind: 'loop' }
  const notes = [loop === 'note' ? LOOP_NOTE : '', duplicates.length > 0 ? DUPLICATE_WARNING : '']
  return {
    kind: 'accept',
    counters: { ...counters, rollbacks: 0, repeated: false, calls: newest([...counters.calls, ...keys]) },
    note: notes.filter((note) => note !== '').join('\n') || undefined,
  }
}

/** The strictest verdict over the calls of a message, each held against those before it. */
function loopOf(history: readonly string[], keys: readonly string[]): LoopVerdict {
  const all = [...history, ...keys]
  const verdicts = keys.map((key, index) => {
    const place = history.length + index
    return loopVerdict(all.slice(Math.max(0, place - LOOKED_AT), place), key)
  })
  if (verdicts.includes('stop')) return 'stop'
  return verdicts.includes('note') ? 'note' : 'run'
}

/** As many keys as a verdict looks at. */
function newest(keys: readonly string[]): readonly string[] {
  return keys.slice(-LOOKED_AT)
}

function keywordsOf(setting: true | readonly string[]): readonly string[] {
  return setting === true ? REFUSAL_KEYWORDS : setting
}
