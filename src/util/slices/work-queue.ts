/** Where work that yields waits for its next slice. */
export interface WorkQueue {
  /**
   * True once the present turn of the loop has taken so long that new work should not even begin: many pieces of work
   * that arrive together are short one by one, and long together.
   */
  readonly isTurnOver: boolean
  /** True while new work has to be short before it queues too. */
  readonly mustBeShort: boolean
  /**
   * Resolves when it is the caller's turn.
   *
   * @param takenMs what the caller's work has taken so far, in milliseconds; what does not say counts as long
   * @param isFirst whether the work has never waited before
   */
  next(takenMs?: number, isFirst?: boolean): Promise<void>
}

/** The queue as one piece of work sees it, which remembers how long that was at work when it queued last. */
export class OwnQueue implements WorkQueue {
  readonly #queue: WorkQueue
  /** In milliseconds; 0 for work that never queued. */
  takenMs = 0

  constructor(queue: WorkQueue) {
    this.#queue = queue
  }

  get isTurnOver(): boolean {
    return this.#queue.isTurnOver
  }

  get mustBeShort(): boolean {
    return this.#queue.mustBeShort
  }

  next(takenMs?: number, isFirst?: boolean): Promise<void> {
    this.takenMs = Math.max(this.takenMs, takenMs ?? 0)
    return this.#queue.next(takenMs, isFirst)
  }
}
