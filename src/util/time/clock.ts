import { performance } from 'node:perf_hooks'
import type { CancelSignal } from '../cancellation.js'

/** Time as an argument: what waits in tests without waiting. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Milliseconds since some moment of its own. Nobody sets it, so differences of it are true. */
  elapsed(): number
  /** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal: CancelSignal): Promise<void>
}

/** The machine's own clock. Where each request asks for the time, `performance` is imported: the global one is an accessor. */
export const systemClock: Clock = { now: Date.now, elapsed: () => performance.now(), sleep }

/** A clock that shows another time: of a machine whose clock differs by this many milliseconds. */
export function shiftedClock(clock: Clock, byMs: number): Clock {
  if (byMs === 0) return clock
  return {
    now: () => clock.now() + byMs,
    elapsed: () => clock.elapsed(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  }
}

function sleep(ms: number, signal: CancelSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
