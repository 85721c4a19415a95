import { Cancellation, type CancelSignal, whenAborted } from '../cancellation.js'
import { startDeadline } from './start-deadline.js'

/**
 * The work's result, or a failure after the time limit. The work itself is not notified and continues. `ms` in
 * milliseconds.
 */
export function withTimeout<Result>(
  work: Promise<Result>,
  ms: number,
  toFailure: (ms: number) => Error = noAnswer,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = startDeadline(ms, () => reject(toFailure(ms)))
    work.then(resolve, reject).finally(stop)
  })
}

/** Waits for work, and no longer than this many milliseconds. @throws what the work throws before that */
export function waitAtMost(ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** The work's result, or a failure made of the signal's reason as soon as it aborts: the work itself continues. */
export function untilAborted<Result>(
  work: Promise<Result>,
  signal: CancelSignal,
  toFailure: (reason: unknown) => Error,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(toFailure(signal.reason))
    whenAborted(signal, giveUp)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}

/** How work fails that is given up. */
export interface GivenUp {
  /** @param ms how long it had; nothing or less when it did not begin */
  timedOut(ms: number): Error
  /** @param reason of the caller's signal */
  cancelled(reason: unknown): Error
}

/**
 * Runs work that must end in time: after `ms` milliseconds, or when the caller's signal aborts, its own signal aborts
 * and it fails at once, whether or not the work notices.
 *
 * @throws what `failures` makes of it, and whatever the work throws before that
 */
export function runWithin<Result>(
  ms: number,
  caller: CancelSignal | undefined,
  run: (signal: CancelSignal) => Promise<Result>,
  failures: GivenUp,
): Promise<Result> {
  if (caller?.aborted === true) return Promise.reject(failures.cancelled(caller.reason))
  if (ms <= 0) return Promise.reject(failures.timedOut(ms))
  return new Promise((resolve, reject) => {
    const own = new Cancellation()
    const end = (then: () => void) => {
      stop()
      caller?.removeEventListener('abort', onAbort)
      then()
    }
    const giveUp = (failure: Error) => {
      end(() => reject(failure))
      own.abort(failure)
    }
    const onAbort = () => giveUp(failures.cancelled(caller?.reason))
    const stop = startDeadline(ms, () => giveUp(failures.timedOut(ms)))
    caller?.addEventListener('abort', onAbort, { once: true })
    run(own).then(
      (result) => end(() => resolve(result)),
      (error: unknown) => end(() => reject(error)),
    )
  })
}

function noAnswer(ms: number): Error {
  return new Error(`no answer within ${ms} ms`)
}
