import { Fifo } from '../fifo.js'
import { overloaded } from './overloaded.js'

/** How long one turn of the event loop may take, in milliseconds, before new work has to queue at its first look at the clock. */
const TURN_MS = 10
/** How long those who go on in one turn may have taken together, in milliseconds, before another one may too. */
const SHARED_MS = 4
/** How many go on at most between two looks at the sockets. */
const BATCH = 64
/** What has taken less than this in all, in milliseconds, is short: it goes before the rest. */
const SHORT_MS = 2
/** What has taken this or more is long: it goes after the rest, and is no reason to refuse new work. */
const LONG_MS = 20
/** So many that are not long may wait before new work is refused that would too: each has its next slice within a tenth of a second. */
const MOST_WAITING = 16
/** Of so many that go on, the last is a long one and the one before it a middling one, however many short ones wait. */
const ROUND = 4

type Resolve = () => void

/** Where work that gives way to others waits to go on. */
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

export interface TurnsOptions {
  /** Milliseconds of a clock that never goes back. Default: `performance.now`. */
  readonly now?: () => number
  /** Called before the first one goes on, in each turn. */
  readonly beforeSlice?: (() => void) | undefined
  /** A burst may fill the queue; when somebody has been waiting for longer than this, in milliseconds, it stands. Default: it may. */
  readonly patienceMs?: number
}

/**
 * The queue for all work that gives way: in each turn of the event loop some of those who wait go on, one after the
 * other for as long as they are short, so that new requests, which the loop serves in between, never wait for much more
 * than one slice. One at a time would let short work that came while others waited pile up, until all of it is too late.
 *
 * What took little so far goes first, for it may be over soon; what is longer has a share in any case. In one line, a few
 * long ones would make short work as late as themselves.
 */
export class Turns implements WorkQueue {
  /** The same queue for work of somebody who can come again. */
  readonly entrance: WorkQueue = new Entrance(this)
  readonly #short = new Fifo<Resolve>()
  readonly #middling = new Fifo<Resolve>()
  readonly #long = new Fifo<Resolve>()
  /** How many went on so far. */
  #gone = 0
  /** Callbacks of which each may let one go on. */
  #scheduled = 0
  /** When the first one of this turn went on; 0 before that. */
  #sliceAt = 0
  /** When the present turn of the loop began; of no meaning while nobody waits. */
  #turnAt = 0
  /** Since when somebody waits; of no meaning while nobody does. */
  #busyAt = 0
  readonly #now: () => number
  readonly #beforeSlice: () => void
  readonly #patienceMs: number

  constructor({
    now = () => performance.now(),
    beforeSlice = () => {},
    patienceMs = Number.POSITIVE_INFINITY,
  }: TurnsOptions = {}) {
    this.#now = now
    this.#beforeSlice = beforeSlice
    this.#patienceMs = patienceMs
  }

  /** True while somebody waits. */
  get isBusy(): boolean {
    return this.#short.size > 0 || this.mustBeShort
  }

  /**
   * True while so much has been waiting of what may be over soon that each would be late if more came. However much
   * long work waits, it is not what others should wait for.
   */
  get isFull(): boolean {
    const waiting = this.#short.size + this.#middling.size
    return waiting >= MOST_WAITING && this.#now() - this.#busyAt > this.#patienceMs
  }

  /**
   * While work waits that is not short. Not so beside short work: what queues begins anew, and whatever came would take
   * longer, and queue, for as long as there is much to do.
   */
  get mustBeShort(): boolean {
    return this.#middling.size > 0 || this.#long.size > 0
  }

  /** Looks at the clock only while somebody waits. */
  get isTurnOver(): boolean {
    return this.isBusy && this.#now() - this.#turnAt > TURN_MS
  }

  /** First come, first served among those that are as long. */
  next(takenMs = LONG_MS): Promise<void> {
    if (!this.isBusy) this.#busyAt = this.#now()
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
    const resolve = this.#nextQueue().take()
    this.#gone += 1
    resolve()
  }

  #nextQueue(): Fifo<Resolve> {
    const place = this.#gone % ROUND
    if (place === ROUND - 1 && this.#long.size > 0) return this.#long
    if (this.#short.size > 0 && (place !== ROUND - 2 || this.#middling.size === 0)) return this.#short
    return this.#middling.size > 0 ? this.#middling : this.#long
  }

  #begin(): void {
    this.#turnAt = this.#now()
    this.#sliceAt = 0
    this.#scheduled = Math.min(this.#short.size + this.#middling.size + this.#long.size, BATCH)
    for (let count = 0; count < this.#scheduled; count += 1) setImmediate(this.#serve)
  }
}

/**
 * The queue as new work finds it. While it is full, what is over in a short slice is done, and what is not is refused
 * instead of waiting: so little was done for it that nothing is lost, and those who wait are not late.
 */
class Entrance implements WorkQueue {
  readonly #turns: Turns

  constructor(turns: Turns) {
    this.#turns = turns
  }

  get isTurnOver(): boolean {
    return !this.#turns.isFull && this.#turns.isTurnOver
  }

  get mustBeShort(): boolean {
    return this.#turns.mustBeShort || this.#turns.isFull
  }

  /** @throws ServiceError `overloaded` */
  async next(takenMs = LONG_MS, isFirst = false): Promise<void> {
    if (isFirst && this.#turns.isFull) throw overloaded()
    await this.#turns.next(takenMs)
  }
}
