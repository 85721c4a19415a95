import type { Cluster, Redis } from 'ioredis'
import { parseRedisUrl } from '../../redis/redis-url.js'
import { unavailable } from '../../state/state-errors.js'
import { Cancellation, throwIfAborted } from '../../util/cancellation.js'
import { errorMessage } from '../../util/errors/error-message.js'
import { type Clock, systemClock } from '../../util/time/clock.js'
import {
  connectToQueue,
  type OpenQueue,
  openQueue,
  QUEUE,
  type QueueAddress,
  queuePrefix,
} from './open-queue.js'
import { QueueWorker } from './queue-worker.js'
import { idleJobs, type QueueLook, standsStill } from './stand-still.js'
import {
  EngineCloses,
  GIVE_BACK_MS,
  RequeueError,
  type RunTask,
  type TaskEngine,
  type TaskEngineStatus,
} from './task-engine.js'

export interface BullmqEngineOptions extends QueueAddress {
  /** How many tasks this process runs at once; 0 none: it only fills the queue. */
  readonly concurrency: number
  /** How long a job is its worker's after the last sign of life, in milliseconds. */
  readonly leaseMs: number
  readonly clock?: Clock
  /** Called with the error of a run or, with `''`, of the queue itself. */
  readonly onFailure: (task: string, error: unknown) => void
}

/** Number of failures to remember, so that none is reported twice. */
const MAX_REPORTED = 20
/** How long a server that refuses the queue is left alone, in milliseconds. */
const AGAIN_MS = 1_000

/**
 * A queue in Redis, for any number of processes. BullMQ is loaded on first use. It only schedules: the same job may run
 * twice at once, for instance after an outage longer than its lock, and the task's lease decides.
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
  /** No more tasks are taken. */
  readonly #stopped = new Cancellation()
  /** Those that run are to stop. */
  readonly #stopping = new Cancellation()
  #client: Redis | Cluster | undefined
  #opened: Promise<OpenQueue> | undefined
  #worker: QueueWorker | undefined
  #isStarted = false
  #running = 0
  #before: QueueLook | undefined
  /** Failures that were reported since the last connection, so that repeated attempts do not repeat them. */
  readonly #told = new Set<string>()

  constructor(options: BullmqEngineOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  get status(): TaskEngineStatus {
    return { kind: 'bullmq', concurrency: this.#options.concurrency, running: this.#running }
  }

  async enqueue(task: string, n: number): Promise<void> {
    const jobId = `${task}-${n}`
    try {
      const { queue } = await this.#open()
      await queue.add('task', { task }, { jobId, attempts: 1, removeOnComplete: true, removeOnFail: true })
    } catch (error) {
      throw unavailable(`the queue of tasks: ${errorMessage(error)}`, error)
    }
  }

  start(run: RunTask): void {
    if (this.#options.concurrency === 0 || this.#isStarted) return
    this.#isStarted = true
    // It ends when the engine closes.
    this.#keepWorking(run).catch(() => {})
  }

  stop(): void {
    this.#stopped.abort()
    this.#worker?.stop()
  }

  /** Closing in order hangs without Redis: connections are cut at the deadline, and at once while it is away. */
  async close(deadlineMs: number): Promise<void> {
    this.stop()
    this.#stopping.abort(new EngineCloses(deadlineMs))
    if (this.#client === undefined) return
    if (this.#client.status !== 'ready' && this.#running === 0) return this.#cut()
    const over = new Cancellation()
    const deadline = this.#clock.sleep(deadlineMs + GIVE_BACK_MS, over).catch(() => {})
    await Promise.race([this.#closeInOrder(), deadline])
    over.abort()
    this.#cut()
  }

  /** Ends all connections as they are: nobody waits for an answer any more. */
  #cut(): void {
    this.#worker?.abandon()
    this.#client?.disconnect()
  }

  async #closeInOrder(): Promise<void> {
    await this.#worker?.close().catch(() => {})
    const opened = await this.#opened?.catch(() => undefined)
    await opened?.queue.close().catch(() => {})
  }

  #open(): Promise<OpenQueue> {
    this.#opened ??= this.#connect()
    return this.#opened
  }

  async #connect(): Promise<OpenQueue> {
    this.#client?.disconnect()
    const client = connectToQueue(this.#options)
    this.#client = client
    client.on('error', (error) => this.#tell(error))
    client.on('ready', () => {
      this.#told.clear()
      // A worker without a connection could not take jobs.
      this.#before = undefined
    })
    try {
      return await openQueue(this.#options, client, (error) => this.#tell(error))
    } catch (error) {
      this.#opened = undefined
      throw error
    }
  }

  /** Each failure once, until the connection is there again. */
  #tell(error: Error): void {
    if (this.#told.has(error.message)) return
    if (this.#told.size === MAX_REPORTED) this.#told.clear()
    this.#told.add(error.message)
    this.#options.onFailure('', error)
  }

  /** Keeps a worker running, and replaces one that takes no jobs. @throws the reason to stop */
  async #keepWorking(run: RunTask): Promise<never> {
    const { leaseMs } = this.#options
    const opened = await this.#openAtLast()
    throwIfAborted(this.#stopped)
    this.#worker = this.#newWorker(opened, run)
    for (;;) {
      // Longer than the queue needs to find the jobs of a worker that is gone.
      await this.#clock.sleep(1.5 * leaseMs + AGAIN_MS, this.#stopped)
      if ((await this.#isStuck(opened, this.#worker)) && !this.#stopped.aborted) {
        this.#options.onFailure('', new Error('The worker of the queue took no jobs and is replaced'))
        this.#worker.abandon()
        this.#worker = this.#newWorker(opened, run)
      }
    }
  }

  async #openAtLast(): Promise<OpenQueue> {
    for (;;) {
      throwIfAborted(this.#stopped)
      try {
        return await this.#open()
      } catch (error) {
        if (error instanceof Error && !this.#stopped.aborted) this.#tell(error)
        await this.#clock.sleep(AGAIN_MS, this.#stopped)
      }
    }
  }

  async #isStuck({ client }: OpenQueue, { taken, isFree }: QueueWorker): Promise<boolean> {
    const before = this.#before
    this.#before = undefined
    try {
      const idle = await idleJobs(client, `${queuePrefix(this.#options)}:${QUEUE}`, this.#clock.now())
      const look: QueueLook = { taken, isFree, idle }
      const isStuck = standsStill(before, look)
      if (!isStuck) this.#before = look
      return isStuck
    } catch (error) {
      if (error instanceof Error) this.#tell(error)
      return false
    }
  }

  #newWorker({ library }: OpenQueue, run: RunTask): QueueWorker {
    const { url, keyPrefix, concurrency, leaseMs } = this.#options
    return new QueueWorker({
      ...{ url, keyPrefix, library, concurrency, leaseMs },
      clock: this.#clock,
      work: (task) => this.#work(task, run),
      onError: (error) => this.#tell(error),
    })
  }

  /** Another process gets a job that was taken while the queue was closing. */
  async #work(task: string, run: RunTask): Promise<void> {
    if (this.#stopped.aborted) throw new RequeueError(0)
    this.#running += 1
    try {
      await run(task, this.#stopping)
    } catch (error) {
      if (!(error instanceof RequeueError)) this.#options.onFailure(task, error)
      throw error
    } finally {
      this.#running -= 1
    }
  }
}
