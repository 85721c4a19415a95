import { Fifo } from './fifo.js'

/** How long one turn of the event loop may take, in milliseconds, before new work has to queue at its first look at the clock. */
const TURN_MS = 10
/** How long those who go on in one turn may have taken together, in milliseconds, before another one may too. */
const SHARED_MS = 4
/** How many go on at most between two looks at the sockets. */
const BATCH = 64
/** What has taken less than this in all, in milliseconds, is short: it goes before what is long. */
const LONG_MS = 2
/** Of those that go on, every so-many-th is a long one, however many short ones wait. */
const LONG_EVERY = 4

type Resolve = () => void

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
  readonly #long = new Fifo<Resolve>()
  /** How many short ones went on since a long one did. */
  #shortInRow = 0
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
   * True while long work waits: then new work has to be short before it queues too. Not so beside short work: what
   * queues begins anew, and whatever came would take longer, and queue, for as long as there is much to do.
   */
  get isLongWaiting(): boolean {
    return this.#long.size > 0
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
      const queue = takenMs < LONG_MS ? this.#short : this.#long
      queue.push(resolve)
      // A round that is under way begins the next one.
      if (this.#scheduled === 0) this.#begin()
    })
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
    const isLong = this.#short.size === 0 || (this.#shortInRow >= LONG_EVERY - 1 && this.#long.size > 0)
    this.#shortInRow = isLong ? 0 : this.#shortInRow + 1
    const resolve = (isLong ? this.#long : this.#short).take()
    resolve()
  }

  #begin(): void {
    this.#turnAt = this.#now()
    this.#sliceAt = 0
    this.#scheduled = Math.min(this.#short.size + this.#long.size, BATCH)
    for (let count = 0; count < this.#scheduled; count += 1) setImmediate(this.#serve)
  }
}
