/** What has a deadline. */
export interface Expiring {
  /** Called once the time is over. */
  expire(): void
}

/** One deadline, among others of the same length. */
export interface Deadline {
  readonly subject: Expiring
  readonly dueAt: number
  isOver: boolean
  previous: Deadline | undefined
  next: Deadline | undefined
}

const elapsed = () => performance.now()
/** Node takes no longer times. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Deadlines of one length, in the order in which they began: one timer, for the first, which nearly always finds that it is
 * over. A timer for each would be made and thrown away with every request. Rows `0.5 KB` of `npm run bench:chat`.
 */
export class Deadlines {
  readonly #ms: number
  #first: Deadline | undefined
  #last: Deadline | undefined
  #isArmed = false

  constructor(ms: number) {
    this.#ms = ms
  }

  /** Starts a deadline; `remove` ends it. */
  add(subject: Expiring): Deadline {
    const dueAt = elapsed() + this.#ms
    const entry: Deadline = { subject, dueAt, isOver: false, previous: this.#last, next: undefined }
    if (this.#last === undefined) this.#first = entry
    else this.#last.next = entry
    this.#last = entry
    if (!this.#isArmed) this.#arm(this.#ms)
    return entry
  }

  remove(entry: Deadline): void {
    if (entry.isOver) return
    entry.isOver = true
    const { previous, next } = entry
    if (previous === undefined) this.#first = next
    else previous.next = next
    if (next === undefined) this.#last = previous
    else next.previous = previous
    entry.previous = undefined
    entry.next = undefined
  }

  #arm(ms: number): void {
    this.#isArmed = true
    // What is waited for holds a connection open: that is what keeps the program from ending.
    setTimeout(this.#expire, Math.min(ms, MAX_TIMER_MS)).unref()
  }

  readonly #expire = (): void => {
    this.#isArmed = false
    const now = elapsed()
    for (let entry = this.#first; entry !== undefined && entry.dueAt <= now; entry = this.#first) {
      this.remove(entry)
      entry.subject.expire()
    }
    const first = this.#first
    if (first !== undefined && !this.#isArmed) this.#arm(first.dueAt - now)
  }
}
