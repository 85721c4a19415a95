import type { CancelSignal } from '../util/cancellation.js'
import { ToolFailure } from './tool-failure.js'

/**
 * Runs work that must end in time: after `budgetMs`, or when the caller's signal aborts, its own signal aborts and
 * the call fails at once, whether or not the work notices.
 *
 * @throws ToolFailure `timeout`, `cancelled` or the failure the caller aborted with, and whatever the work throws before that
 */
export function runWithin<Result>(
  budgetMs: number,
  caller: CancelSignal,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (caller.aborted) return Promise.reject(reasonOf(caller))
  if (budgetMs <= 0) return Promise.reject(new ToolFailure('timeout', 'no time is left for the call'))
  return new Promise((resolve, reject) => {
    const controller = new AbortController()
    const end = (then: () => void) => {
      clearTimeout(timer)
      caller.removeEventListener('abort', onAbort)
      then()
    }
    const giveUp = (failure: ToolFailure) => {
      end(() => reject(failure))
      controller.abort(failure)
    }
    const onAbort = () => giveUp(reasonOf(caller))
    const timer = setTimeout(() => giveUp(timedOut(budgetMs)), budgetMs)
    caller.addEventListener('abort', onAbort, { once: true })
    run(controller.signal).then(
      (result) => end(() => resolve(result)),
      (error: unknown) => end(() => reject(error)),
    )
  })
}

function timedOut(budgetMs: number): ToolFailure {
  return new ToolFailure('timeout', `no answer within ${Math.round(budgetMs)} ms`)
}

function reasonOf({ reason }: CancelSignal): ToolFailure {
  return reason instanceof ToolFailure ? reason : new ToolFailure('cancelled', 'the caller stopped waiting')
}
