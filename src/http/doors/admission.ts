import { Fifo } from '../../util/fifo.js'
import { SLICES } from '../../util/slices/budgets.js'
import { atEndOfTurn } from '../../util/slices/end-of-turn.js'

/** How long one turn of the event loop may begin requests before further ones wait for the next. */
const BEGINS_MS: number = SLICES.turn.ms
/** How long a turn may begin requests while new connections come: a turn accepts one of them. */
const ACCEPTS_MS: number = SLICES.accepting.ms
/** How many are let in at most between two looks at the sockets. */
const BATCH = 64
/** Of the longest wait, while the queue has not been empty for that long. */
const STANDING_SHARE = 0.4

/** Lets a request in, or not. */
type Enter = (isRefused: boolean) => void

interface Waiting {
  readonly since: number
  readonly enter: Enter
}

/** What admission looks at. */
export interface AdmissionOptions {
  /** How long a request may wait for its turn, in milliseconds. */
  readonly longestWaitMs: number
  /** How many connections were ever accepted. */
  readonly accepted: () => number
  /** Called before the first of those who wait is let in, in each turn. */
  readonly beforeSlice?: () => void
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Does something once the sockets were looked at; by default at the end of this turn of the event loop. */
  readonly later?: (work: () => void) => void
}

/**
 * The queue before the service. Requests that come in one turn of the event loop are begun at once for as long as the turn
 * is short, and then in order, some in each turn, so that what does not wait here (probes) never waits for more than a turn.
 *
 * A queue that is longer than it may be lets nobody else in. Bursts may wait long; once the queue has not been empty for
 * that time it is long-standing, and is kept short: then waiting would help no client.
 */
export class Admission {
  readonly #options: AdmissionOptions
  readonly #later: (work: () => void) => void
  readonly #atEndOfTurn: (work: () => void) => void
  readonly #waiting = new Fifo<Waiting>()
  /** When the present turn read its first request; 0 before that. */
  #turnAt = 0
  /** When the present turn began to let in those who wait; 0 before that. */
  #sliceAt = 0
  #sliceMs = BEGINS_MS
  #accepted = 0
  /** Callbacks of which each may let one in. */
  #scheduled = 0
  /** Whether those who wait came in earlier turns: the present one has begun nothing yet. */
  #stands = false
  #emptyAt: number

  constructor(options: AdmissionOptions) {
    this.#options = options
    this.#later = options.later ?? setImmediate
    this.#atEndOfTurn = options.later ?? atEndOfTurn
    this.#emptyAt = options.now()
  }

  /** How many wait. */
  get size(): number {
    return this.#waiting.size
  }

  /** True while requests need not wait: then they are begun as they come. `now` is when one came. */
  isOpen(now: number): boolean {
    return this.size === 0 && this.#isTurnShort(now)
  }

  /**
   * Lets a request in when its turn comes, or refuses it at once.
   *
   * @param now when it came
   */
  admit(now: number, enter: Enter): void {
    if (this.size === 0) this.#start(now)
    else if (now - this.#waiting.first.since > this.#patience(now)) return void enter(true)
    this.#waiting.push({ since: now, enter })
    // With this turn's: who always waited for the next one would wait for two, and the queue would never be empty.
    if (this.#scheduled === 0 || (this.#stands && this.#scheduled < BATCH)) this.#scheduleOne()
  }

  #start(now: number): void {
    this.#emptyAt = now
    this.#stands = false
    this.#sliceAt = 0
  }

  #isTurnShort(now: number): boolean {
    if (this.#turnAt === 0) {
      this.#turnAt = now
      this.#atEndOfTurn(this.#endTurn)
    }
    return now - this.#turnAt <= BEGINS_MS
  }

  readonly #endTurn = (): void => {
    this.#turnAt = 0
  }

  #patience(now: number): number {
    const { longestWaitMs } = this.#options
    return now - this.#emptyAt > longestWaitMs ? longestWaitMs * STANDING_SHARE : longestWaitMs
  }

  /** Each is let in by a callback of its own: what it does at once is over before the next one. */
  #schedule(): void {
    this.#sliceAt = 0
    this.#stands = true
    for (let count = Math.min(this.size, BATCH); count > 0; count -= 1) this.#scheduleOne()
  }

  #scheduleOne(): void {
    this.#scheduled += 1
    this.#later(this.#serve)
  }

  readonly #serve = (): void => {
    const now = this.#options.now()
    this.#scheduled -= 1
    if (this.#sliceAt === 0) this.#beginSlice(now)
    if (this.size > 0 && now - this.#sliceAt <= this.#sliceMs) this.#letIn(now)
    if (this.#scheduled === 0 && this.size > 0) this.#schedule()
  }

  #beginSlice(now: number): void {
    this.#options.beforeSlice?.()
    const accepted = this.#options.accepted()
    this.#sliceAt = now
    this.#sliceMs = accepted === this.#accepted ? BEGINS_MS : ACCEPTS_MS
    this.#accepted = accepted
  }

  #letIn(now: number): void {
    const { enter } = this.#waiting.take()
    if (this.size === 0) this.#emptyAt = now
    enter(false)
  }
}
