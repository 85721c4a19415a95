import type { CancelSignal } from '../util/cancellation.js'
import { runWithin as runInTime } from '../util/time/time-limits.js'
import { ToolFailure } from './tool-failure.js'

/**
 * Runs a call that must end in time, as `util/time/time-limits` says.
 *
 * @param limit names the limit in the message of a timeout: `TOOL_TIMEOUT_MS`; empty where it is the caller's
 * @throws ToolFailure `timeout`, `cancelled` or the failure the caller aborted with, and whatever the call throws before that
 */
export function callWithin<Result>(
  budgetMs: number,
  caller: CancelSignal,
  run: (signal: CancelSignal) => Promise<Result>,
  limit = '',
): Promise<Result> {
  const timedOut = (ms: number) => timeout(ms, limit)
  return runInTime(budgetMs, caller, run, { timedOut, cancelled })
}

function timeout(ms: number, limit: string): ToolFailure {
  const named = limit === '' ? '' : ` (${limit})`
  const message = ms <= 0 ? 'no time is left for the call' : `no answer within ${Math.round(ms)} ms${named}`
  return new ToolFailure('timeout', message)
}

/** The name of a tool's own limit in messages. */
export const OWN_LIMIT = 'timeoutMs of the tool'

/** Of a caller who stopped waiting, or aborted with a failure. */
export function cancelled(reason: unknown): ToolFailure {
  return reason instanceof ToolFailure ? reason : new ToolFailure('cancelled', 'the caller stopped waiting')
}
