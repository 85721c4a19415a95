import { at } from './at.js'

/** How long one turn of the event loop may take, in milliseconds, before new work has to queue at its first look at the clock. */
const TURN_MS = 10

/**
 * One queue for all long work that gives way: in each turn of the event loop one of those who wait goes on, so that
 * new requests, which the loop serves in between, never wait for more than one slice.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #next = 0
  /** When the present turn of the loop began; of no meaning while nobody waits. */
  #turnAt = 0
  readonly #now: () => number

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** True while somebody waits: then new work has to be short before it queues too. */
  get isBusy(): boolean {
    return this.#next < this.#waiting.length
  }

  /**
   * True once the present turn of the loop has taken so long that new work should not even begin: many pieces of work
   * that arrive together are short one by one, and long together. Looks at the clock only while somebody waits.
   */
  get isTurnOver(): boolean {
    return this.isBusy && this.#now() - this.#turnAt > TURN_MS
  }

  /** Resolves when it is the caller's turn; first come, first served. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (!this.isBusy) this.#begin()
      this.#waiting.push(resolve)
    })
  }

  readonly #serve = (): void => {
    const resolve = at(this.#waiting, this.#next)
    this.#next += 1
    if (this.isBusy) this.#begin()
    else this.#clear()
    resolve()
  }

  #begin(): void {
    this.#turnAt = this.#now()
    setImmediate(this.#serve)
  }

  #clear(): void {
    this.#waiting.length = 0
    this.#next = 0
  }
}
