/** Longest rest between two batches. */
const LONGEST_REST_MS = 100

/** Spreads work over a time: after each part of it says how long to rest. */
export class Pace {
  readonly #spreadMs: number
  readonly #expected: number
  readonly #now: () => number
  readonly #startedAt: number
  #done = 0

  /** @param now monotonic milliseconds */
  constructor(spreadMs: number, expected: number, now: () => number) {
    this.#spreadMs = spreadMs
    this.#expected = expected
    this.#now = now
    this.#startedAt = now()
  }

  /** One of the expected pieces is done. */
  step(): void {
    this.#done += 1
  }

  /** Milliseconds until the work should continue. */
  get restMs(): number {
    const share = Math.min(1, this.#done / Math.max(1, this.#expected))
    const early = this.#startedAt + share * this.#spreadMs - this.#now()
    return Math.max(0, Math.min(LONGEST_REST_MS, early))
  }
}
