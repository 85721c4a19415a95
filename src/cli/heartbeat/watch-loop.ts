import { url as debuggerUrl } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import { PACKAGE_ROOT } from '../../util/package-root.js'
import { EXIT } from '../command.js'
import { pulseEveryMs } from './pulse.js'

/** Where the two threads meet: beats of the loop, and in how many milliseconds the process must have ended, or 0. */
export const BEATS = 0
export const END_WITHIN = 1

/** What the watching thread is started with. */
export interface WatchOrder {
  readonly shared: SharedArrayBuffer
  /** How long the loop may stand, in milliseconds. */
  readonly limitMs: number
  readonly exitCode: number
  /** Whether a person reads the log. */
  readonly isReadable: boolean
  /** What places begin with that are this package's. */
  readonly root: string
}

/** A thread that ends the process when its event loop stands still. */
export interface LoopWatch {
  /** The process is to end within this time: a loop that stands is left alone until then, and ended then in any case. */
  endWithin(ms: number): void
}

const THREAD = new URL('dist/bundle/watch-thread.js', PACKAGE_ROOT)
const NO_WATCH: LoopWatch = { endWithin: () => {} }

/**
 * Watches this thread's event loop from another one, which ends the process with {@link EXIT.stalled} and a log line with
 * the place where it stands. A supervisor starts it again; nothing else helps: a loop that stands answers nobody, and
 * runs no handler of a signal.
 *
 * @param limitMs how long the loop may stand; 0: nobody watches, as where a debugger does
 */
export function watchLoop(limitMs: number, isReadable: boolean): LoopWatch {
  if (limitMs === 0 || debuggerUrl() !== undefined) return NO_WATCH
  const shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)
  const cells = new Int32Array(shared)
  const order: WatchOrder = {
    ...{ shared, limitMs, isReadable },
    exitCode: EXIT.stalled,
    root: PACKAGE_ROOT.href,
  }
  const thread = new Worker(THREAD, { workerData: order, env: {}, execArgv: [] })
  // Without the thread the service is what it was before; it does not end for that.
  thread.on('error', () => {}).unref()
  setInterval(() => Atomics.add(cells, BEATS, 1), pulseEveryMs(limitMs)).unref()
  return { endWithin: (ms) => void Atomics.store(cells, END_WITHIN, Math.max(1, Math.ceil(ms))) }
}
