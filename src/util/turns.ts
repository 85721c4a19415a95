import { Fifo } from './fifo.js'

/** How long one turn of the event loop may take, in milliseconds, before new work has to queue at its first look at the clock. */
const TURN_MS = 10
/** How long those who go on in one turn may have taken together, in milliseconds, before another one may too. */
const SHARED_MS = 4
/** How many go on at most between two looks at the sockets. */
const BATCH = 64
/** What has taken less than this in all, in milliseconds, is short: it goes before the rest. */
const SHORT_MS = 2
/** What has taken this or more is long: it goes after the rest, and never keeps new work from being begun. */
const LONG_MS = 5
/** So many that are not long may wait before nothing new should be begun: each has its next slice within a tenth of a second. */
const MOST_WAITING = 16
/** Of those that go on, every so-many-th is a long one, however many short ones wait. */
const LONG_EVERY = 4

type Resolve = () => void

/** What waits to go on. */
export type Backlog = 'none' | 'some' | 'full'

/**
 * The queue for all work that gives way: in each turn of the event loop some of those who wait go on, one after the
 * other for as long as they are short, so that new requests, which the loop serves in between, never wait for much more
 * than one slice. One at a time would let short work that came while others waited pile up, until all of it is too late.
 *
 * What took little so far goes first, for it may be over soon; what is long has a share in any case. In one line, a few
 * long ones would make short work as late as themselves.
 */
export class Turns {
  readonly #short = new Fifo<Resolve>()
  readonly #middling = new Fifo<Resolve>()
  readonly #long = new Fifo<Resolve>()
  /** How many others went on since a long one did. */
  #othersInRow = 0
  /** Callbacks of which each may let one go on. */
  #scheduled = 0
  /** When the first one of this turn went on; 0 before that. */
  #sliceAt = 0
  /** When the present turn of the loop began; of no meaning while nobody waits. */
  #turnAt = 0
  readonly #now: () => number
  readonly #beforeSlice: () => void

  /**
   * @param now milliseconds of a clock that never goes back
   * @param beforeSlice called before the first one goes on, in each turn
   */
  constructor(now: () => number = () => performance.now(), beforeSlice: () => void = () => {}) {
    this.#now = now
    this.#beforeSlice = beforeSlice
  }

  /** True while somebody waits. */
  get isBusy(): boolean {
    return this.#short.size > 0 || this.isLongWaiting
  }

  /**
   * What waits: nothing, something, or so much of what may be over soon that each would be late if more were begun.
   * However much long work waits, new work may be begun: it is not what others should wait for.
   */
  get backlog(): Backlog {
    if (this.#short.size + this.#middling.size >= MOST_WAITING) return 'full'
    return this.isBusy ? 'some' : 'none'
  }

  /**
   * True while work waits that is not short: then new work has to be short before it queues too. Not so beside short work: what
   * queues begins anew, and whatever came would take longer, and queue, for as long as there is much to do.
   */
  get isLongWaiting(): boolean {
    return this.#middling.size > 0 || this.#long.size > 0
  }

  /**
   * True once the present turn of the loop has taken so long that new work should not even begin: many pieces of work
   * that arrive together are short one by one, and long together. Looks at the clock only while somebody waits.
   */
  get isTurnOver(): boolean {
    return this.isBusy && this.#now() - this.#turnAt > TURN_MS
  }

  /**
   * Resolves when it is the caller's turn: first come, first served among those that are as long.
   *
   * @param takenMs what the caller's work has taken so far, in milliseconds; what does not say counts as long
   */
  next(takenMs = LONG_MS): Promise<void> {
    return new Promise((resolve) => {
      this.#queueOf(takenMs).push(resolve)
      // A round that is under way begins the next one.
      if (this.#scheduled === 0) this.#begin()
    })
  }

  #queueOf(takenMs: number): Fifo<Resolve> {
    if (takenMs < SHORT_MS) return this.#short
    return takenMs < LONG_MS ? this.#middling : this.#long
  }

  /** What one does at once, in the callbacks of its promise, is over before the next callback of the loop. */
  readonly #serve = (): void => {
    this.#scheduled -= 1
    if (this.#sliceAt === 0) this.#beginSlice()
    if (this.#now() - this.#sliceAt < SHARED_MS) this.#goOn()
    if (this.#scheduled === 0 && this.isBusy) this.#begin()
  }

  #beginSlice(): void {
    this.#beforeSlice()
    this.#sliceAt = this.#now()
  }

  #goOn(): void {
    const queue = this.#nextQueue()
    this.#othersInRow = queue === this.#long ? 0 : this.#othersInRow + 1
    const resolve = queue.take()
    resolve()
  }

  #nextQueue(): Fifo<Resolve> {
    if (this.#othersInRow >= LONG_EVERY - 1 && this.#long.size > 0) return this.#long
    if (this.#short.size > 0) return this.#short
    return this.#middling.size > 0 ? this.#middling : this.#long
  }

  #begin(): void {
    this.#turnAt = this.#now()
    this.#sliceAt = 0
    this.#scheduled = Math.min(this.#short.size + this.#middling.size + this.#long.size, BATCH)
    for (let count = 0; count < this.#scheduled; count += 1) setImmediate(this.#serve)
  }
}
