import type { CancelSignal } from '../util/cancellation.js'
import { runWithin as runInTime } from '../util/time-limits.js'
import { ToolFailure } from './tool-failure.js'

/**
 * Runs a call that must end in time, as `util/time-limits` says.
 *
 * @throws ToolFailure `timeout`, `cancelled` or the failure the caller aborted with, and whatever the call throws before that
 */
export function runWithin<Result>(
  budgetMs: number,
  caller: CancelSignal,
  run: (signal: CancelSignal) => Promise<Result>,
): Promise<Result> {
  return runInTime(budgetMs, caller, run, { timedOut, cancelled })
}

function timedOut(ms: number): ToolFailure {
  const message = ms <= 0 ? 'no time is left for the call' : `no answer within ${Math.round(ms)} ms`
  return new ToolFailure('timeout', message)
}

/** Of a caller who stopped waiting, or aborted with a failure. */
export function cancelled(reason: unknown): ToolFailure {
  return reason instanceof ToolFailure ? reason : new ToolFailure('cancelled', 'the caller stopped waiting')
}
