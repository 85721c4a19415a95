import { Cancellation } from '../../util/cancellation.js'
import { type Clock, systemClock } from '../../util/time/clock.js'
import {
  EngineCloses,
  GIVE_BACK_MS,
  RequeueError,
  type RunTask,
  type TaskEngine,
  type TaskEngineStatus,
} from './task-engine.js'

export interface MemoryEngineOptions {
  /** How many tasks run at once; 0 none. */
  readonly concurrency: number
  readonly clock?: Clock
  /** Called with the unexpected error of a run. */
  readonly onFailure?: (task: string, error: unknown) => void
}

/** A queue in this process: it is gone when the process ends. */
export function createMemoryEngine(options: MemoryEngineOptions): TaskEngine {
  return new MemoryEngine(options)
}

class MemoryEngine implements TaskEngine {
  readonly #concurrency: number
  readonly #clock: Clock
  readonly #onFailure: (task: string, error: unknown) => void
  readonly #stopping = new Cancellation()
  /** First come, first served. */
  readonly #waiting = new Map<string, string>()
  readonly #running = new Map<string, Promise<void>>()
  #run: RunTask | undefined
  #isStopped = false

  constructor({ concurrency, clock = systemClock, onFailure = () => {} }: MemoryEngineOptions) {
    this.#concurrency = concurrency
    this.#clock = clock
    this.#onFailure = onFailure
  }

  get status(): TaskEngineStatus {
    return { kind: 'memory', concurrency: this.#concurrency, running: this.#running.size }
  }

  async enqueue(task: string, n: number): Promise<void> {
    const job = `${task}-${n}`
    if (this.#running.has(job)) return
    this.#waiting.set(job, task)
    this.#take()
  }

  start(run: RunTask): void {
    this.#run = run
    this.#take()
  }

  stop(): void {
    this.#isStopped = true
  }

  async close(deadlineMs: number): Promise<void> {
    this.stop()
    this.#waiting.clear()
    this.#stopping.abort(new EngineCloses(deadlineMs))
    const over = new Cancellation()
    const deadline = this.#clock.sleep(deadlineMs + GIVE_BACK_MS, over).catch(() => {})
    await Promise.race([Promise.all(this.#running.values()), deadline])
    over.abort()
  }

  #take(): void {
    const run = this.#run
    if (run === undefined || this.#isStopped) return
    for (const [job, task] of this.#waiting) {
      if (this.#running.size >= this.#concurrency) return
      this.#waiting.delete(job)
      this.#running.set(job, this.#work(run, job, task))
    }
  }

  async #work(run: RunTask, job: string, task: string): Promise<void> {
    try {
      await run(task, this.#stopping)
    } catch (error) {
      if (error instanceof RequeueError) void this.#later(job, task, error.delayMs)
      else this.#onFailure(task, error)
    } finally {
      this.#running.delete(job)
      this.#take()
    }
  }

  async #later(job: string, task: string, delayMs: number): Promise<void> {
    await this.#clock.sleep(delayMs, this.#stopping).catch(() => {})
    if (this.#stopping.aborted) return
    this.#waiting.set(job, task)
    this.#take()
  }
}
