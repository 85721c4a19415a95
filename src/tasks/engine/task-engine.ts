import type { CancelSignal } from '../../util/cancellation.js'

/**
 * Says whose turn it is, and nothing else: what a task is and how far it came is in its checkpoint, and only the newest
 * lease writes. Everything may be said twice.
 */
export interface TaskEngine {
  /** Puts a task in the queue; `n` tells one stay there from the next: while it lasts the same again has no effect. */
  enqueue(task: string, n: number): Promise<void>
  /** Takes tasks from the queue from now on. */
  start(run: RunTask): void
  /** Takes no more tasks; those that run go on, and others may still be put in the queue. */
  stop(): void
  /**
   * Takes no more tasks, tells those that run to stop where they are durable, and waits for them, up to `deadlineMs`; then
   * they are given back as they are.
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

/** The task cannot go on now: somebody else works on it, or the store is away. */
export class RequeueError extends Error {
  override readonly name = 'RequeueError'
  readonly delayMs: number

  constructor(delayMs: number, options?: ErrorOptions) {
    super(`again in ${delayMs} ms`, options)
    this.delayMs = delayMs
  }
}
