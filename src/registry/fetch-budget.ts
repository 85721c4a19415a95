/** Fetches in a row without any wait. */
const BURST = 2_500
const PER_SECOND = 100
const MAX_WAIT_MS = 10

/**
 * Makes a function that returns how long to wait before the next fetch of changed documents. A change after a calm
 * time is fetched at once; under a steady stream of writes, fetches become rare and each carries many documents.
 *
 * @param now monotonic milliseconds
 */
export function createFetchBudget(now: () => number): () => number {
  let tokens = BURST
  let at = now()
  return () => {
    const time = now()
    tokens = Math.min(BURST, tokens + ((time - at) / 1_000) * PER_SECOND)
    at = time
    if (tokens >= 1) {
      tokens -= 1
      return 0
    }
    return MAX_WAIT_MS
  }
}
