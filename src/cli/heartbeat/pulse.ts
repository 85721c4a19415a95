/** Looks in the time after which a loop counts as standing. */
const LOOKS = 5
/** A look that is this much later than it should be says that anybody who looks was stopped as well. */
const LATE = 2

/** Interval of heartbeats and checks for a limit, in milliseconds. */
export function pulseEveryMs(limitMs: number): number {
  return limitMs / LOOKS
}

/** Detects a blocked event loop from its heartbeats, which are checked at regular times. */
export class Pulse {
  readonly #limitMs: number
  #beats = -1
  #since: number
  #lookedAt: number

  /** @param now monotonic milliseconds */
  constructor(limitMs: number, now: number) {
    this.#limitMs = limitMs
    this.#since = now
    this.#lookedAt = now
  }

  /**
   * Looks, once every {@link pulseEveryMs}. A machine that sleeps, or a container that is paused, stops both sides: then the
   * time counts again.
   *
   * @param heartbeats their number so far
   * @returns how long the loop has been blocked, if that is too long
   */
  look(heartbeats: number, now: number): number | undefined {
    const isLate = now - this.#lookedAt > LATE * pulseEveryMs(this.#limitMs)
    this.#lookedAt = now
    if (isLate || heartbeats !== this.#beats) this.#since = now
    this.#beats = heartbeats
    const stoodMs = now - this.#since
    return stoodMs >= this.#limitMs ? stoodMs : undefined
  }
}
