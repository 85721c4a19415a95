import { url as debuggerUrl } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import { PACKAGE_ROOT } from '../../util/package-root.js'
import { EXIT } from '../command.js'
import { pulseEveryMs } from './pulse.js'

/** What the watching thread is started with. */
export interface WatchOrder {
  /** One cell: the heartbeats of the watched loop. */
  readonly shared: SharedArrayBuffer
  /** How long the loop may be blocked, in milliseconds; 0: no limit. */
  readonly limitMs: number
  readonly exitCode: number
  /** Whether a person reads the log. */
  readonly isReadable: boolean
  /** What places begin with that are this package's. */
  readonly root: string
}

/** What the watching thread gets when the process is about to end. */
export interface EndOrder {
  /** By {@link machineTime}: from then on the main thread is interrupted wherever it is, and ended there. */
  readonly interruptAt: number
  /** When the process is killed, if that was without effect. */
  readonly killAt: number
}

const THREAD = new URL('dist/bundle/watch-thread.js', PACKAGE_ROOT)

/** Monotonic milliseconds that all threads of a process count alike. */
export function machineTime(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000
}

/**
 * A thread beside this one that ends the process: with {@link EXIT.stalled} and a log line with the place where its event
 * loop is blocked. A supervisor starts it again; nothing else helps: a blocked loop answers nobody, and runs no handler of
 * a signal. Where a debugger watches, nobody else does.
 */
export class ProcessWatch {
  readonly #isReadable: boolean
  #thread: Worker | undefined

  /** @param isReadable whether a person reads the log */
  constructor(isReadable: boolean) {
    this.#isReadable = isReadable
  }

  /** Watches this thread's event loop from now on. It may be blocked for this long; 0: no limit. */
  watchLoop(limitMs: number): void {
    if (limitMs === 0 || this.#thread !== undefined) return
    const cells = this.#start(limitMs)
    setInterval(() => Atomics.add(cells, 0, 1), pulseEveryMs(limitMs)).unref()
  }

  /** Deadline of the process: until then a blocked loop is left alone, unless it has to be interrupted. */
  endBy(order: EndOrder): void {
    if (this.#thread === undefined) this.#start(0)
    this.#thread?.postMessage(order)
  }

  #start(limitMs: number): Int32Array {
    const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    if (debuggerUrl() !== undefined) return new Int32Array(shared)
    const order: WatchOrder = {
      ...{ shared, limitMs, isReadable: this.#isReadable },
      exitCode: EXIT.stalled,
      root: PACKAGE_ROOT.href,
    }
    this.#thread = new Worker(THREAD, { workerData: order, env: {}, execArgv: [] })
    // Without the thread the service is what it was before; it does not end for that.
    this.#thread.on('error', () => {}).unref()
    return new Int32Array(shared)
  }
}
