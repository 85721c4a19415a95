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

/** What stands in front of a result that was asked for again and again, and is given at last. */
export const DUPLICATE_WARNING =
  'Warning: this call was made before with the same arguments. Do not make it again.'
