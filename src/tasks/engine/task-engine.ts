import type { CancelSignal } from '../../util/cancellation.js'

/**
 * Schedules tasks, and nothing else: the task and its progress are in its checkpoint, and only the newest lease writes.
 * Every task may be scheduled twice.
 */
export interface TaskEngine {
  /** Puts a task in the queue; `n` numbers its stays there. While one lasts, enqueueing the same number has no effect. */
  enqueue(task: string, n: number): Promise<void>
  /** Takes tasks from the queue from now on. */
  start(run: RunTask): void
  /** Takes no more tasks; running ones continue, and others may still be enqueued. */
  stop(): void
  /**
   * Takes no more tasks, stops running ones where they are durable, and waits for them for up to `deadlineMs`; then they
   * are given back as they are.
   */
  close(deadlineMs: number): Promise<void>
  readonly status: TaskEngineStatus
}

/**
 * Works on a task until it ends, waits or is asked to stop. Rejects with {@link RequeueError} to put it back into the
 * queue.
 *
 * @param stopping aborts with an {@link EngineCloses} when the process is about to exit
 */
export type RunTask = (task: string, stopping: CancelSignal) => Promise<void>

/** Which engine there is, and how much it does. */
export interface TaskEngineStatus {
  readonly kind: 'memory' | 'bullmq'
  /** How many tasks it runs at once; 0: it only puts them in the queue. */
  readonly concurrency: number
  readonly running: number
}

/** Why a task must stop at its next durable point. */
export class EngineCloses extends Error {
  override readonly name = 'EngineCloses'
  /** A task that is not durable within this time is given back as it is, in milliseconds. */
  readonly withinMs: number

  constructor(withinMs: number) {
    super('The service is shutting down')
    this.withinMs = withinMs
  }
}

/** How long tasks that are given back at the deadline may take for that, in milliseconds. */
export const GIVE_BACK_MS = 750

/** The task cannot continue now: another process works on it, or the store is unreachable. */
export class RequeueError extends Error {
  override readonly name = 'RequeueError'
  readonly delayMs: number

  constructor(delayMs: number, options?: ErrorOptions) {
    super(`again in ${delayMs} ms`, options)
    this.delayMs = delayMs
  }
}
