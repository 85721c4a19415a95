import { Fifo } from '../fifo.js'
import { SLICES } from './budgets.js'
import type { WorkQueue } from './work-queue.js'

/** Maximum number of slices between two looks at the sockets. */
const BATCH = 64
/** Work that has taken less than this in all, in milliseconds, is short. */
const SHORT_MS = 2
/** Work that has taken this or more is long; work in between is medium. */
const LONG_MS = 20
/** Queue length (long work excluded) at which new work is shed: each has its next slice within a tenth of a second. */
const MAX_WAITING = 16
/** Scheduling round: of every 4 slices, one goes to medium and one to long work. */
const ROUND = 4

type Resolve = () => void

export interface TurnsOptions {
  /** Milliseconds of a clock that never goes back. Default: `performance.now`. */
  readonly now?: () => number
  /** Called before the first slice of each iteration. */
  readonly beforeSlice?: (() => void) | undefined
  /** A burst may fill the queue; once work has waited without a break for longer than this, in milliseconds, new work is shed. Default: never. */
  readonly patienceMs?: number
  /** The error of work that is shed. */
  readonly refusal?: () => Error
}

/**
 * The queue for all work that yields: a multilevel feedback queue with load shedding at its entrance. Work begins as
 * short and sinks to the next level by what it has taken so far, so that what may be over soon is served first; the round
 * keeps a share for each level, so that none starves.
 *
 * ```
 *  new work ──► entrance ──► one slice at once ──► over, most of it
 *               │ full: shed          │ not over: waits
 *               ▼                     ▼
 *            refusal      short  (< 2 ms so far)  ─┐ slices 1 and 2 of a round, and what others leave
 *                         medium (< 20 ms)        ─┤ slice 3            ├─► batch of one turn of the loop:
 *                         long   (20 ms and more) ─┘ slice 4                4 ms together, 64 at most
 *                           ▲                                              │
 *                           └────────── not over: waits again ◄────────────┘
 * ```
 *
 * In each turn of the event loop a batch of waiting work continues, one after the other for as long as they are short
 * together: new requests, which the loop serves in between, never wait for much more than one slice. One at a time would
 * let short work that came while others waited pile up, until all of it is too late.
 */
export class Turns implements WorkQueue {
  /** The queue as new work of clients finds it, which can come again: while the queue is full, what needs to wait is shed. */
  readonly entrance: WorkQueue
  readonly #short = new Fifo<Resolve>()
  readonly #medium = new Fifo<Resolve>()
  readonly #long = new Fifo<Resolve>()
  /** Number of slices so far. */
  #gone = 0
  /** Callbacks of which each may start one slice. */
  #scheduled = 0
  /** When the first slice of this iteration started; 0 before that. */
  #sliceAt = 0
  /** When the present turn of the loop began; of no meaning while nobody waits. */
  #turnAt = 0
  /** Since when somebody waits; of no meaning while nobody does. */
  #busyAt = 0
  readonly #now: () => number
  readonly #beforeSlice: () => void
  /** How long work may wait without a break before new work is refused, in milliseconds. */
  readonly patienceMs: number

  constructor({
    now = () => performance.now(),
    beforeSlice = () => {},
    patienceMs = Number.POSITIVE_INFINITY,
    refusal = () => new Error('overloaded'),
  }: TurnsOptions = {}) {
    this.entrance = new Entrance(this, refusal)
    this.#now = now
    this.#beforeSlice = beforeSlice
    this.patienceMs = patienceMs
  }

  /** True while somebody waits. */
  get isBusy(): boolean {
    return this.#short.size > 0 || this.mustBeShort
  }

  /** True while so much short and medium work waits that each would be late if more came. Long work does not count. */
  get isFull(): boolean {
    const waiting = this.#short.size + this.#medium.size
    return waiting >= MAX_WAITING && this.#now() - this.#busyAt > this.patienceMs
  }

  /**
   * While medium or long work waits. Not beside short work: what queues starts again, and whatever came would take longer,
   * and queue, for as long as there is much to do.
   */
  get mustBeShort(): boolean {
    return this.#medium.size > 0 || this.#long.size > 0
  }

  /** Looks at the clock only while somebody waits. */
  get isTurnOver(): boolean {
    return this.isBusy && this.#now() - this.#turnAt > SLICES.turn.ms
  }

  /** What the slices of this turn have taken so far, in milliseconds, while one of them runs. */
  get sharedMs(): number {
    return this.#sliceAt === 0 ? 0 : this.#now() - this.#sliceAt
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
    return takenMs < LONG_MS ? this.#medium : this.#long
  }

  /** What one does at once, in the callbacks of its promise, is over before the next callback of the loop. */
  readonly #serve = (): void => {
    this.#scheduled -= 1
    if (this.#sliceAt === 0) this.#beginSlice()
    if (this.#now() - this.#sliceAt < SLICES.shared.ms) this.#goOn()
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
    if (this.#short.size > 0 && (place !== ROUND - 2 || this.#medium.size === 0)) return this.#short
    return this.#medium.size > 0 ? this.#medium : this.#long
  }

  #begin(): void {
    this.#turnAt = this.#now()
    this.#sliceAt = 0
    this.#scheduled = Math.min(this.#short.size + this.#medium.size + this.#long.size, BATCH)
    for (let count = 0; count < this.#scheduled; count += 1) setImmediate(this.#serve)
  }
}

/**
 * Load shedding: while the queue is full, new work that is over in a short slice is done, and what is not is refused
 * instead of waiting. So little was done for it that nothing is lost, and work that waits is not late.
 */
class Entrance implements WorkQueue {
  readonly #turns: Turns
  readonly #refusal: () => Error

  constructor(turns: Turns, refusal: () => Error) {
    this.#turns = turns
    this.#refusal = refusal
  }

  get isTurnOver(): boolean {
    return !this.#turns.isFull && this.#turns.isTurnOver
  }

  get mustBeShort(): boolean {
    return this.#turns.mustBeShort || this.#turns.isFull
  }

  /** @throws the refusal */
  async next(takenMs = LONG_MS, isFirst = false): Promise<void> {
    if (isFirst && this.#turns.isFull) throw this.#refusal()
    await this.#turns.next(takenMs)
  }
}
