import type { BackendFactory, Job, Worker } from 'bullmq'
import type { Cluster, Redis } from 'ioredis'
import type { Clock } from '../../util/time/clock.js'
import {
  connectToQueue,
  type JobData,
  QUEUE,
  type QueueAddress,
  type QueueLibrary,
  queuePrefix,
} from './open-queue.js'
import { RequeueError } from './task-engine.js'

export interface QueueWorkerOptions extends QueueAddress {
  readonly library: QueueLibrary
  readonly concurrency: number
  /** How long a job is its worker's after the last sign of life, in milliseconds. */
  readonly leaseMs: number
  readonly clock: Clock
  /** Works on a task. Rejects with {@link RequeueError} to have it put back. */
  readonly work: (task: string) => Promise<void>
  readonly onError: (error: Error) => void
}

/** A job whose worker dies more often than this is given up by the queue; the sweep finds its task. */
const MAX_RECOVERIES = 5
/** Seconds a worker waits for work in one go: below the timeout of its socket, also while jobs wait for their time. */
const BLOCK_S = 2
/** How long a worker whose server refuses rests before it asks again, in milliseconds. */
const REST_MS = 1_000

/** Takes jobs from the queue on its own connections, which are closed together with a worker that is stuck. */
export class QueueWorker {
  readonly #options: QueueWorkerOptions
  readonly #client: Redis | Cluster
  readonly #worker: Worker<JobData>
  #rest: NodeJS.Timeout | undefined
  #isStopped = false
  #taken = 0
  #running = 0

  constructor(options: QueueWorkerOptions) {
    const { library, concurrency, leaseMs } = options
    this.#options = options
    this.#client = connectToQueue(options)
    const settings = {
      connection: this.#client,
      prefix: queuePrefix(options),
      concurrency,
      lockDuration: leaseMs,
      stalledInterval: Math.ceil(leaseMs / 2),
      maxStalledCount: MAX_RECOVERIES,
      drainDelay: BLOCK_S,
    }
    const work = (job: Job<JobData>, token?: string) => this.#work(job, token)
    this.#worker = new library.Worker<JobData>(QUEUE, work, settings, shortWaits(library))
    this.#worker.on('error', (error) => this.#failed(error))
  }

  /** How many jobs it has begun. */
  get taken(): number {
    return this.#taken
  }

  /** Whether it looks for another job. */
  get isFree(): boolean {
    return this.#rest === undefined && this.#running < this.#options.concurrency
  }

  /** Takes no more jobs; running ones continue. */
  stop(): void {
    clearTimeout(this.#rest)
    this.#isStopped = true
    void this.#worker.pause(true).catch(() => {})
  }

  /** Takes no more, and resolves when what it has in hand is done. */
  async close(): Promise<void> {
    clearTimeout(this.#rest)
    await this.#worker.close()
    this.#client.disconnect()
  }

  /** Closes its connections at once. Running work continues, and its jobs return to the queue. */
  abandon(): void {
    clearTimeout(this.#rest)
    void this.#worker.close(true).catch(() => {})
    this.#client.disconnect()
  }

  /** Pauses after a refusal; otherwise the server would be asked again without a pause. */
  #failed(error: Error): void {
    this.#options.onError(error)
    if (error.name !== 'ReplyError' || this.#rest !== undefined || this.#isStopped) return
    void this.#worker.pause(true).catch(() => {})
    this.#rest = setTimeout(() => {
      this.#rest = undefined
      void this.#worker.resume()
    }, REST_MS)
  }

  async #work(job: Job<JobData>, token: string | undefined): Promise<void> {
    const { work, clock, library } = this.#options
    this.#taken += 1
    this.#running += 1
    try {
      await work(job.data.task)
    } catch (error) {
      if (!(error instanceof RequeueError)) throw error
      await job.moveToDelayed(clock.now() + error.delayMs, token)
      throw new library.DelayedError()
    } finally {
      this.#running -= 1
    }
  }
}

/** While a job waits for its time BullMQ would block for up to ten seconds, and the socket's silence look like its end. */
function shortWaits({
  createRedisBackend,
}: QueueLibrary): BackendFactory<ReturnType<typeof createRedisBackend>> {
  return (name, options, how) => {
    const backend = createRedisBackend(name, options, how)
    return Object.defineProperty(backend, 'maximumBlockTimeout', { value: BLOCK_S })
  }
}
