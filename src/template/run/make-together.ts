import type { RenderSpending } from '../api.js'
import { LimitError } from '../format/go-error.js'
import { MADE_FREELY, MAX_MADE_TOGETHER } from '../limits.js'

/**
 * Counts what a render makes, in characters.
 *
 * @throws LimitError if it made much, and all that are under way too much
 */
export function makeTogether(spending: RenderSpending, characters: number): void {
  const { together } = spending
  // No call stands between the two: V8 ends slices at calls and rounds only, and they never differ.
  spending.made += characters
  if (together === undefined) return
  together.made += characters
  if (spending.made <= MADE_FREELY || together.made <= MAX_MADE_TOGETHER) return
  throw new LimitError(
    'width',
    `texts and lists of more than ${MADE_FREELY} characters made while others made more than ${MAX_MADE_TOGETHER} together`,
  )
}
