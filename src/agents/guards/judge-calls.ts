import type { Part } from '../../protocols/protocol.js'
import { callKey } from '../../tools/toolbox.js'
import type { CycleSetup } from '../cycle/cycle-setup.js'
import type { CycleCounters, CycleState } from '../cycle/cycle-state.js'
import type { CheckedCall } from '../cycle/prepare-calls.js'
import { MAX_ROLLBACKS } from '../limits.js'
import { malformedNotes, type Rollback } from './judge-answer.js'

/** What becomes of a message's calls; the note is read with their results. */
export type CallsVerdict =
  | Rollback
  | { readonly kind: 'accept'; readonly counters: CycleCounters; readonly note: string | undefined }
  | { readonly kind: 'loop' }

/** The text before the result of a repeated call that is returned in the end. */
const DUPLICATE_WARNING = 'Warning: this call was made before with the same arguments. Do not make it again.'
/** The note for the model after the third identical call. */
const LOOP_NOTE =
  'You have made the same call three times in a row, with the same arguments. It will not run again: use its result, make another call, or answer.'
/** After this many identical calls a note is added; the next is refused. */
const MAX_EQUAL_CALLS = 3
/** A verdict on a call looks at no more calls before it. */
const LOOKED_AT = 4

/**
 * Checks a message's calls with the guards that compare them to earlier calls of this turn.
 *
 * @param isOpen whether the message may be retracted
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

/** The remark for the model beside the results of its calls: a guard's note, and text that looked like a call. */
export function remarkOf(note: string | undefined, parts: readonly Part[]): string | undefined {
  const lines = [...(note === undefined ? [] : [note]), ...malformedNotes(parts)]
  return lines.length === 0 ? undefined : lines.join('\n')
}

/** A call of a message, as far as repetition is concerned. */
export interface KeyedCall {
  readonly name: string
  /** From `callKey`. */
  readonly key: string
  /** Calling it changes nothing. Others are never held for repetitions. */
  readonly readOnly: boolean
}

/**
 * The calls of a message that were made before. The message is looked at before any of its calls runs, so that none has
 * run when it is rolled back.
 *
 * @param succeeded Keys of the read-only calls that succeeded in this run.
 */
export function findDuplicates(
  calls: readonly KeyedCall[],
  succeeded: ReadonlySet<string>,
): readonly KeyedCall[] {
  return calls.filter(({ key, readOnly }) => readOnly && succeeded.has(key))
}

/** The note that asks for another message than one with duplicates. */
export function duplicateNote(duplicates: readonly KeyedCall[]): string {
  return [
    'Your last message was not accepted, and none of its calls ran: these were made before with the same arguments, and their results are above.',
    ...duplicates.map(({ key }) => `- ${key}`),
    'Use these results, or make another call.',
  ].join('\n')
}

/** What is done about a call: it runs, it runs with a note, or it ends the tools of this turn. */
type LoopVerdict = 'run' | 'note' | 'stop'

/**
 * Whether a call continues a loop.
 *
 * @param history Keys of the calls of this turn so far, oldest first, the new one not among them.
 * @param key Of the new call, from `callKey`.
 */
export function loopVerdict(history: readonly string[], key: string): LoopVerdict {
  let equal = 1
  for (let index = history.length - 1; index >= 0 && history[index] === key; index -= 1) {
    equal += 1
    if (equal > MAX_EQUAL_CALLS) return 'stop'
  }
  return equal === MAX_EQUAL_CALLS ? 'note' : 'run'
}
