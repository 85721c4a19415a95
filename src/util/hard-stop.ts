import { createContext, Script } from 'node:vm'
import { type SliceGuard, SliceStopped } from './slice.js'
import { createThreadClock } from './thread-clock.js'

/** How long a slice may hold the event loop, in milliseconds. */
export const SLICE_LIMIT_MS = 50
/** A slice that was stopped and had less of the processor than this share of its limit was not what took the time. */
const GUILTY_SHARE = 0.5
const STOPPED = 'ERR_SCRIPT_EXECUTION_TIMEOUT'

export interface HardStopOptions {
  /** Default {@link SLICE_LIMIT_MS}. */
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
  limitMs = SLICE_LIMIT_MS,
  now = () => performance.now(),
  processorMs = createThreadClock(),
}: HardStopOptions = {}): SliceGuard {
  // A function of this realm stays one: the context is only where the watchdog's script finds it.
  const around: { slice: (() => void) | undefined } = { slice: undefined }
  const context = createContext(around)
  const script = new Script('slice()')
  const options = { timeout: limitMs, displayErrors: false }
  return <Result>(slice: () => Result): Result => {
    const startedAt = now()
    const usedBefore = processorMs()
    around.slice = slice
    try {
      return script.runInContext(context, options)
    } catch (error) {
      if (!isStop(error)) throw error
      throw new SliceStopped(now() - startedAt, processorMs() - usedBefore >= limitMs * GUILTY_SHARE)
    } finally {
      around.slice = undefined
    }
  }
}

function isStop(error: unknown): boolean {
  // It is an error of the context's realm.
  return typeof error === 'object' && error !== null && 'code' in error && error.code === STOPPED
}
