/** Waits that double from one failure to the next, up to a bound; in milliseconds. */
export interface Backoff {
  readonly firstMs: number
  readonly longestMs: number
}

/** How long to wait after this many failures in a row, from 1. */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1))
}
