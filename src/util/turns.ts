import { at } from './at.js'

/** How long one turn of the event loop may take, in milliseconds, before new work has to queue at its first look at the clock. */
const TURN_MS = 10
/** How long those who go on in one turn may have taken together, in milliseconds, before another one may too. */
const SHARED_MS = 4
/** How many go on at most between two looks at the sockets. */
const BATCH = 64
/** So many that went on are kept at most. */
const FORGOTTEN = 1_024

/**
 * One queue for all long work that gives way: in each turn of the event loop some of those who wait go on, one after the
 * other for as long as they are short, so that new requests, which the loop serves in between, never wait for much more
 * than one slice. One at a time would let short work that came while others waited pile up, until all of it is too late.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #next = 0
  /** Callbacks of which each may let one go on. */
  #scheduled = 0
  /** When the first one of this turn went on; 0 before that. */
  #sliceAt = 0
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
      this.#waiting.push(resolve)
      // A round that is under way begins the next one.
      if (this.#scheduled === 0) this.#begin()
    })
  }

  /** What one does at once, in the callbacks of its promise, is over before the next callback of the loop. */
  readonly #serve = (): void => {
    const now = this.#now()
    this.#scheduled -= 1
    if (this.#sliceAt === 0) this.#sliceAt = now
    if (now - this.#sliceAt < SHARED_MS) this.#goOn()
    if (this.#scheduled > 0) return
    if (this.isBusy) this.#begin()
    else this.#forget()
  }

  #goOn(): void {
    const resolve = at(this.#waiting, this.#next)
    this.#next += 1
    if (this.#next === FORGOTTEN) this.#forget()
    resolve()
  }

  #begin(): void {
    this.#turnAt = this.#now()
    this.#sliceAt = 0
    this.#scheduled = Math.min(this.#waiting.length - this.#next, BATCH)
    for (let count = 0; count < this.#scheduled; count += 1) setImmediate(this.#serve)
  }

  /** Takes away those that went on, not one by one: that would move all others each time. */
  #forget(): void {
    this.#waiting.splice(0, this.#next)
    this.#next = 0
  }
}
