import type { ClientError } from './client-error.js'

/** Another attempt, or another process, may have the answer; with the first codes the service has begun nothing. */
const PASSING =
  /^(?:(rate_limited|not_ready|overloaded)|connection_lost|unreachable|outcome_unknown|state_unavailable|http_50[234])$/
const FIRST_MS = 100
const FACTOR = 3
const MAX_DELAY_MS = 3_000

/** When the same request is sent again: the group of `PASSING` that the code of its failure has to match. */
export type Again = typeof IF_IT_PASSES | typeof IF_REFUSED | typeof NOT_AGAIN
/** After any failure that may pass, because a second request changes nothing. */
export const IF_IT_PASSES = 0
/** When the service refused it before it began. */
export const IF_REFUSED = 1
/** There is no such group. */
export const NOT_AGAIN = 2

/**
 * Waits before another attempt, `attempt` counting from 0, or until the signal aborts. Throws the failure where another
 * attempt does not help, or comes too late.
 */
export async function pauseBefore(
  attempt: number,
  failure: ClientError,
  signal?: AbortSignal,
  again: Again = IF_IT_PASSES,
  withinMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { code, retryAfterMs } = failure
  // Of many clients that were cut at once, each comes back at a time of its own.
  const waitMs =
    retryAfterMs ?? Math.min(FIRST_MS * FACTOR ** attempt, MAX_DELAY_MS) * (1 - Math.random() / 4)
  if (!PASSING.exec(code)?.[again] || waitMs >= withinMs) throw failure
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, signal?.aborted ? 0 : waitMs)
    signal?.addEventListener('abort', end)
  })
}
