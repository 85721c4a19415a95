import type { Job, Queue, Worker } from 'bullmq'
import type { Cluster, Redis } from 'ioredis'
import { createQueueClient } from '../../store/redis-client.js'
import { parseRedisUrl } from '../../store/redis-url.js'
import { Cancellation } from '../../util/cancellation.js'
import { type Clock, systemClock } from '../../util/clock.js'
import { lazyPackage } from '../../util/lazy-package.js'
import { readPackages } from '../../util/read-packages.js'
import { RunLater, type RunTask, type TaskEngine, type TaskEngineStatus } from './task-engine.js'

export interface BullmqEngineOptions {
  /** In the forms of `REDIS_URL`. */
  readonly url: string
  /** The queue's keys begin with `{<keyPrefix>-state:q}`: one slot of a cluster. */
  readonly keyPrefix: string
  /** How many tasks this process runs at once; 0 none: it only fills the queue. */
  readonly concurrency: number
  /** How long a job is its worker's after the last sign of life, in milliseconds. */
  readonly leaseMs: number
  readonly clock?: Clock
  /** Told of what a run, or the queue itself (`''`), failed with. */
  readonly onFailure: (task: string, error: unknown) => void
}

const QUEUE = 'tasks'
/** A job whose worker dies more often than this is given up by the queue; the sweep finds its task. */
const MAX_RECOVERIES = 5
/** Seconds a worker waits for work in one go: below the timeout of its socket. */
const DRAIN_DELAY_S = 2
/** Failures that are remembered, so that none is told twice. */
const MAX_TOLD = 20

type Library = typeof import('bullmq')

const bullmq = lazyPackage<Library>('bullmq')

interface JobData {
  readonly task: string
}

interface Opened {
  readonly queue: Queue<JobData>
  readonly client: Redis | Cluster
  readonly library: Library
}

/**
 * A queue in Redis, for any number of processes. BullMQ is read when it is first needed, and holds
 * nobody up. It only says whose turn it
 * is: a job may run beside itself, after an outage longer than its lock for instance, and the task's lease decides.
 *
 * @throws RedisUrlError
 */
export function createBullmqEngine(options: BullmqEngineOptions): TaskEngine {
  parseRedisUrl(options.url)
  return new BullmqEngine(options)
}

class BullmqEngine implements TaskEngine {
  readonly #options: BullmqEngineOptions
  readonly #clock: Clock
  readonly #stopping = new Cancellation()
  #opened: Promise<Opened> | undefined
  #worker: Promise<Worker<JobData>> | undefined
  #running = 0
  /** What the queue was said to have failed with since it was connected: an attempt to reach Redis follows the other. */
  readonly #told = new Set<string>()

  constructor(options: BullmqEngineOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  get status(): TaskEngineStatus {
    return { kind: 'bullmq', concurrency: this.#options.concurrency, running: this.#running }
  }

  async enqueue(task: string, n: number): Promise<void> {
    const { queue } = await this.#open()
    const jobId = `${task}-${n}`
    await queue.add('task', { task }, { jobId, attempts: 1, removeOnComplete: true, removeOnFail: true })
  }

  start(run: RunTask): void {
    if (this.#options.concurrency === 0 || this.#worker !== undefined) return
    this.#worker = this.#open().then((opened) => this.#startWorker(opened, run))
    this.#worker.catch((error) => this.#options.onFailure('', error))
  }

  /** Closing in order hangs without Redis: connections are cut at the deadline, and at once while it is away. */
  async close(deadlineMs: number): Promise<void> {
    this.#stopping.abort()
    const opened = await this.#opened?.catch(() => undefined)
    if (opened === undefined) return
    const worker = await this.#worker?.catch(() => undefined)
    if (opened.client.status !== 'ready' && this.#running === 0) return cut(opened, worker)
    const over = new Cancellation()
    const isInOrder = closeInOrder(worker, opened.queue)
    const deadline = this.#clock.sleep(deadlineMs, over).catch(() => {})
    const inTime = await Promise.race([isInOrder, deadline.then(() => false)])
    over.abort()
    if (inTime) opened.client.disconnect()
    else cut(opened, worker)
  }

  #open(): Promise<Opened> {
    this.#opened ??= this.#connect()
    return this.#opened
  }

  async #connect(): Promise<Opened> {
    await readPackages(['bullmq'], import.meta.url)
    const library = bullmq()
    const client = createQueueClient(parseRedisUrl(this.#options.url))
    const queue = new library.Queue<JobData>(QUEUE, { connection: client, prefix: this.#prefix })
    queue.on('error', (error) => this.#tell(error))
    client.on('ready', () => this.#told.clear())
    return { queue, client, library }
  }

  /** Each failure once, until the connection is there again. */
  #tell(error: Error): void {
    if (this.#told.has(error.message)) return
    if (this.#told.size === MAX_TOLD) this.#told.clear()
    this.#told.add(error.message)
    this.#options.onFailure('', error)
  }

  get #prefix(): string {
    return `{${this.#options.keyPrefix}-state:q}`
  }

  #startWorker({ client, library }: Opened, run: RunTask): Worker<JobData> {
    const { concurrency, leaseMs } = this.#options
    const work = (job: Job<JobData>, token?: string) => this.#work(job, token, run, library)
    const worker = new library.Worker<JobData>(QUEUE, work, {
      connection: client,
      prefix: this.#prefix,
      concurrency,
      lockDuration: leaseMs,
      stalledInterval: Math.ceil(leaseMs / 2),
      maxStalledCount: MAX_RECOVERIES,
      drainDelay: DRAIN_DELAY_S,
    })
    worker.on('error', (error) => this.#tell(error))
    return worker
  }

  async #work(job: Job<JobData>, token: string | undefined, run: RunTask, library: Library): Promise<void> {
    this.#running += 1
    try {
      await run(job.data.task, this.#stopping)
    } catch (error) {
      if (!(error instanceof RunLater)) {
        this.#options.onFailure(job.data.task, error)
        throw error
      }
      await job.moveToDelayed(this.#clock.now() + error.delayMs, token)
      throw new library.DelayedError()
    } finally {
      this.#running -= 1
    }
  }
}

/** Ends all connections as they are: nobody waits for an answer any more. */
function cut({ client }: Opened, worker: Worker<JobData> | undefined): void {
  void worker?.close(true).catch(() => {})
  client.disconnect()
}

/** @returns whether it went well */
async function closeInOrder(worker: Worker<JobData> | undefined, queue: Queue<JobData>): Promise<boolean> {
  try {
    await worker?.close()
    await queue.close()
    return true
  } catch {
    return false
  }
}
