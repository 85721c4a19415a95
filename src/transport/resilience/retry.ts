/** How often and after which waits a failed call is tried again. */
export interface RetryPolicy {
  /** One wait per retry. */
  readonly waitsMs: readonly number[]
  /** The longest wait an upstream may ask for. */
  readonly retryAfterCapMs: number
}

/** After the first failure wait 100 ms, after the second 300 ms, then give up. */
export const DEFAULT_RETRY: RetryPolicy = { waitsMs: [100, 300], retryAfterCapMs: 2000 }

/**
 * The wait before the next attempt.
 *
 * @param failures how many attempts have failed, from 1
 * @param retryAfterMs what the upstream asked for
 * @returns undefined when no attempt is left
 */
export function retryWaitMs(
  policy: RetryPolicy,
  failures: number,
  retryAfterMs: number | undefined,
): number | undefined {
  const wait = policy.waitsMs[failures - 1]
  if (wait === undefined) return undefined
  return retryAfterMs === undefined ? wait : Math.min(retryAfterMs, policy.retryAfterCapMs)
}

/**
 * Reads `retry-after-ms` (milliseconds, OpenAI's addition) or `Retry-After` (seconds or an HTTP date, RFC 9110).
 *
 * @param header finds a header of the answer
 * @returns undefined without such a header, or if its time is not in the future
 */
export function readRetryAfterMs(
  header: (name: string) => string | undefined,
  now: number,
): number | undefined {
  return positive(Number(header('retry-after-ms'))) ?? fromRetryAfter(header('retry-after'), now)
}

function fromRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined || value.trim() === '') return undefined
  const seconds = Number(value)
  return positive(Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000)
}

function positive(ms: number): number | undefined {
  return ms > 0 && Number.isFinite(ms) ? ms : undefined
}
