import type { ClientError } from './client-error.js'

/** Another attempt, or another process, may have the answer; with the first codes the service has begun nothing. */
const PASSING =
  /^(?:(rate_limited|not_ready|overloaded)|connection_lost|unreachable|outcome_unknown|state_unavailable|http_50[234])$/
const FIRST_MS = 100
const FACTOR = 3
const MAX_DELAY_MS = 3_000

/**
 * When the same request is sent again: after any failure that may pass, because a second one changes nothing; when the
 * service refused it before it began; or never.
 */
export type Again = 'passing' | 'refused' | 'never'

/** How long to wait before another attempt, in milliseconds, `attempt` counting from 0; undefined where it is missing. */
export function waitBefore(failure: ClientError, attempt: number, again: Again): number | undefined {
  const [passes, isRefused] = PASSING.exec(failure.code) ?? []
  if (again === 'never' || !(again === 'passing' ? passes : isRefused)) return
  // Of many clients that were cut at once, each comes back at a time of its own.
  return (
    failure.retryAfterMs ?? Math.min(FIRST_MS * FACTOR ** attempt, MAX_DELAY_MS) * (1 - Math.random() / 4)
  )
}

/** Resolves after a time, or as soon as the signal aborts. */
export function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, signal?.aborted ? 0 : ms)
    signal?.addEventListener('abort', end)
  })
}
