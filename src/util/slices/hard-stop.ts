import { createContext, Script } from 'node:vm'
import { MAX_PATIENCE } from '../limits.js'
import { SLICES } from './budgets.js'
import { type SliceGuard, SliceStopped } from './slice.js'
import { createThreadClock } from './thread-clock.js'

/**
 * A slice that was stopped and used less processor time than this share of the limit was not what took the time. The
 * operating system counts in ticks of up to 10 ms, so that a slice which never waited may seem to have used a little less.
 */
const GUILTY_SHARE = 0.8
/** In another attempt a slice may take longer than its share of the processor asks for: the share changes all the time. */
const PATIENCE_MARGIN = 2
const STOPPED = 'ERR_SCRIPT_EXECUTION_TIMEOUT'

export interface HardStopOptions {
  /** Default: 50, as `SLICES` says. */
  readonly limitMs?: number
  /** Milliseconds of a clock that never goes back. Default `performance.now`. */
  readonly now?: () => number
  /** Processor time that this thread used, in milliseconds. Default: what the operating system says. */
  readonly processorMs?: () => number
}

/**
 * A guard that ends slices by V8's own watchdog, a thread beside this one: regular expressions and builtins of arrays
 * too, whatever anybody estimated. It costs some 80 µs a slice, the start of that thread.
 *
 * What V8 cannot end in the midst, and so has to be short by the size of what it is given: the default `sort`,
 * `normalize`, `new Function`, `JSON.parse` and `Object.keys`.
 */
export function createHardStop({
  limitMs = SLICES.stop.ms,
  now = () => performance.now(),
  processorMs = createThreadClock(),
}: HardStopOptions = {}): SliceGuard {
  // A function of this realm stays one: the context is only where the watchdog's script finds it.
  const around: { slice: (() => void) | undefined } = { slice: undefined }
  const context = createContext(around)
  const script = new Script('slice()')
  const options = { timeout: limitMs, displayErrors: false }
  return <Result>(slice: () => Result, patience = 1): Result => {
    const startedAt = now()
    const usedBefore = processorMs()
    around.slice = slice
    try {
      if (patience === 1) return script.runInContext(context, options)
      return script.runInContext(context, { ...options, timeout: Math.ceil(limitMs * patience) })
    } catch (error) {
      if (!isStop(error)) throw error
      const tookMs = now() - startedAt
      const usedMs = processorMs() - usedBefore
      // However patient the guard was: the slice is to blame for the processor time that it used.
      throw new SliceStopped(
        tookMs,
        usedMs < limitMs * GUILTY_SHARE ? patienceFor(tookMs, usedMs) : undefined,
      )
    } finally {
      around.slice = undefined
    }
  }
}

function patienceFor(tookMs: number, usedMs: number): number {
  return Math.min(MAX_PATIENCE, (PATIENCE_MARGIN * tookMs) / Math.max(1, usedMs))
}

function isStop(error: unknown): boolean {
  // It is an error of the context's realm.
  return typeof error === 'object' && error !== null && 'code' in error && error.code === STOPPED
}
