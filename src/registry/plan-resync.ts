/** Of a store whose documents are few. */
const SHORTEST_INTERVAL_MS = 60_000
const DOCUMENTS_PER_SECOND = 2_500
/** Of the interval: how long a round is spread over, and how long the longest rest between two rounds is. */
const SPREAD = 0.1
const LONGEST_WAIT = 0.8
const SHORTEST_WAIT = 0.75

/** One round of comparing the catalog with its store. */
export interface ResyncPlan {
  /** How long to wait before it. */
  readonly waitMs: number
  /** How long it may be spread over. */
  readonly spreadMs: number
}

/**
 * When to start the next full resync. It finds changes without a notification. Two reads of one document are never
 * further apart than the interval, which covers one resync, the wait, and another resync.
 *
 * @param intervalMs by default chosen from the size of the store
 * @param chance from 0 to 1: processes that load at the same moment should not resync at the same moment
 */
export function planResync(documents: number, intervalMs: number | undefined, chance: number): ResyncPlan {
  const interval = intervalMs ?? Math.max(SHORTEST_INTERVAL_MS, (documents / DOCUMENTS_PER_SECOND) * 1_000)
  const wait = SHORTEST_WAIT + (LONGEST_WAIT - SHORTEST_WAIT) * chance
  return { waitMs: interval * wait, spreadMs: interval * SPREAD }
}
