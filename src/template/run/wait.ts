import { startDeadline } from '../../util/time/start-deadline.js'
import type { TemplateError } from '../api.js'
import { abortError, deadlineError } from '../limit-errors.js'
import { withPartial } from '../site.js'
import type { Run } from './run.js'

/**
 * Waits for work of a run until its deadline or its signal ends it; then whatever still runs is ignored. Not `runWithin`:
 * the budget's clock decides, what ended it stays in the budget, and no signal is made, which would cost microseconds.
 */
export function waitFor<T>(run: Run, work: () => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (error: TemplateError) => {
      const stopped = withPartial(error, run.output.before(''))
      run.budget.stopped = stopped
      finish()
      reject(stopped)
    }
    const onAbort = () => stop(abortError(run.at, run.budget.signal?.reason))
    const stopWaiting = startTimer(run, () => stop(deadlineError(run.calls.waitingSite ?? run.at)))
    const finish = () => {
      stopWaiting?.()
      run.budget.signal?.removeEventListener('abort', onAbort)
    }
    run.budget.signal?.addEventListener('abort', onAbort, { once: true })
    work().then(
      (value) => {
        finish()
        resolve(value)
      },
      (error: unknown) => {
        finish()
        reject(error)
      },
    )
  })
}

function startTimer(run: Run, onDeadline: () => void): (() => void) | undefined {
  if (!Number.isFinite(run.budget.deadlineAt)) return undefined
  return startDeadline(Math.max(0, run.budget.deadlineAt - run.budget.now()), onDeadline)
}
