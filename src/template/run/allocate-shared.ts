import type { RenderSpending } from '../api.js'
import { LimitError } from '../format/go-error.js'
import { FREELY_ALLOCATED, MAX_ALLOCATED_TOGETHER } from '../limits.js'

/**
 * Counts what a render allocates, in characters.
 *
 * @throws LimitError if this render allocated much and all running renders together allocated too much
 */
export function allocateShared(spending: RenderSpending, characters: number): void {
  const { together } = spending
  // No call between the two: V8 ends slices only at calls and loop rounds, so the two sums never differ.
  spending.made += characters
  if (together === undefined) return
  together.made += characters
  if (spending.made <= FREELY_ALLOCATED || together.made <= MAX_ALLOCATED_TOGETHER) return
  throw new LimitError(
    'width',
    `texts and lists of more than ${FREELY_ALLOCATED} characters made while others made more than ${MAX_ALLOCATED_TOGETHER} together`,
  )
}
