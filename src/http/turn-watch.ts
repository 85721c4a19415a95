/** How often the event loop is asked whether it is behind. */
const TICK_MS = 10
/** The shortest time over which turns must be long before anybody is refused. */
const LEAST_INTERVAL_MS = 100
/** One long turn fills an interval; a queue that stays makes several. */
const LEAST_TURNS = 3
/** Of the limit: turns that are never shorter than this mean that work piles up. */
const STANDING_SHARE = 0.2

/**
 * Knows when more work comes in than is done. Every turn of the event loop begins with a tick; a turn that lasts is a late
 * tick. One long turn is nothing: only while the shortest of an interval is long is there a queue that stays, and then
 * what comes late in a turn has waited for all that came before it.
 */
export class TurnWatch {
  readonly #limitMs: number
  readonly #now: () => number
  readonly #intervalMs: number
  #tickedAt: number
  #intervalStartedAt: number
  #leastLateMs = Number.POSITIVE_INFINITY
  #isBehind = false
  #turns = 0
  #timer: NodeJS.Timeout | undefined

  /**
   * @param limitMs how long a turn may last before what comes in it is late
   * @param now monotonic milliseconds
   */
  constructor(limitMs: number, now: () => number) {
    this.#limitMs = limitMs
    this.#now = now
    this.#intervalMs = Math.max(LEAST_INTERVAL_MS, 2 * limitMs)
    this.#tickedAt = now()
    this.#intervalStartedAt = this.#tickedAt
  }

  start(): void {
    this.#timer = setInterval(() => this.tick(), TICK_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** A turn begins. */
  tick(): void {
    const now = this.#now()
    this.#leastLateMs = Math.min(this.#leastLateMs, now - this.#tickedAt - TICK_MS)
    this.#tickedAt = now
    this.#turns += 1
    if (now - this.#intervalStartedAt < this.#intervalMs || this.#turns < LEAST_TURNS) return
    this.#isBehind = this.#leastLateMs > this.#limitMs * STANDING_SHARE
    this.#leastLateMs = Number.POSITIVE_INFINITY
    this.#intervalStartedAt = now
    this.#turns = 0
  }

  /** Whether work that comes now came too late in its turn, while work piles up. */
  isLate(at: number): boolean {
    return this.#isBehind && at - this.#tickedAt > this.#limitMs
  }
}
