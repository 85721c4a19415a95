import { paceOf } from '../../support/costs/longest-piece.js'
import { LOOP_BOUND_MS } from './loop-bound.js'

/** Code that runs for the first time is slow, and so is a busy machine: the best of this many attempts counts. */
const ATTEMPTS = 4

/**
 * Attacks until the loop is held within its bound, a few times at most; how long it was held then, in milliseconds of a
 * machine that does nothing else: each attempt is divided by how much slower this one is right after it.
 */
export async function leastBusy(attack: () => Promise<{ readonly longestBusyMs: number }>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && least >= LOOP_BOUND_MS; attempt += 1) {
    const { longestBusyMs } = await attack()
    least = Math.min(least, longestBusyMs < LOOP_BOUND_MS ? longestBusyMs : longestBusyMs / paceOf())
  }
  return least
}
