import { errorCode } from '../util/error-message.js'

/** The error for a service that gives no answer: what `fetch` says is in the cause. */
export function unreachable(url: string, error: unknown): Error {
  return new Error(`cannot reach ${url}: ${reasonOf(error)}`, { cause: error })
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? cause.message || String(errorCode(cause)) : String(cause)
}
