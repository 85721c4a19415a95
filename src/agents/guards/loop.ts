/** After this many identical calls a note is added; the next is refused. */
const MAX_EQUAL_CALLS = 3

/** What is done about a call: it runs, it runs with a note, or it ends the tools of this turn. */
export type LoopVerdict = 'run' | 'note' | 'stop'

/**
 * Whether a call goes on a loop.
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

/** The note for the model after the third identical call. */
export const LOOP_NOTE =
  'You have made the same call three times in a row, with the same arguments. It will not run again: use its result, make another call, or answer.'
