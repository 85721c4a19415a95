/** Looks in the time after which a loop counts as standing. */
const LOOKS = 5
/** A look that is this much later than it should be says that anybody who looks was stopped as well. */
const LATE = 2
/** A loop that waits for a processor is not at fault; after this many limits by the clock it counts as blocked all the same. */
const MAX_LIMITS = 6

/** Interval of heartbeats and checks for a limit, in milliseconds. */
export function pulseEveryMs(limitMs: number): number {
  return limitMs / LOOKS
}

/** What is seen of an event loop. */
export interface Vitals {
  /** Heartbeats so far. */
  readonly beats: number
  /** How long its thread has waited for a processor so far, in milliseconds. */
  readonly waitedMs: number
}

/** Detects a blocked event loop from its heartbeats, which are checked at regular times. */
export class Pulse {
  readonly #limitMs: number
  #beats = -1
  #since: number
  #waitedBefore = 0
  #lookedAt: number

  /** @param now monotonic milliseconds */
  constructor(limitMs: number, now: number) {
    this.#limitMs = limitMs
    this.#since = now
    this.#lookedAt = now
  }

  /**
   * Looks, once every {@link pulseEveryMs}. A machine that sleeps, or a container that is paused, stops both sides: then the
   * time counts again. Time in which others had the processor does not count: to end a process for that would add to the load.
   *
   * @returns how long the loop has been blocked, if that is too long
   */
  look({ beats, waitedMs }: Vitals, now: number): number | undefined {
    const isLate = now - this.#lookedAt > LATE * pulseEveryMs(this.#limitMs)
    this.#lookedAt = now
    if (isLate || beats !== this.#beats) {
      this.#since = now
      this.#waitedBefore = waitedMs
    }
    this.#beats = beats
    const stoodMs = now - this.#since
    const ownMs = stoodMs - (waitedMs - this.#waitedBefore)
    return ownMs >= this.#limitMs || stoodMs >= MAX_LIMITS * this.#limitMs ? stoodMs : undefined
  }
}
