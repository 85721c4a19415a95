/** When a circuit opens and how long it stays so. */
export interface BreakerPolicy {
  /** Attempts are counted over this long. */
  readonly windowMs: number
  /** Fewer attempts than this in a window prove nothing. */
  readonly minimumAttempts: number
  /** The share of failed attempts, 0 to 1, that opens the circuit. */
  readonly failureShare: number
  /** How long nothing is sent before one probe may go. */
  readonly openMs: number
}

/** Wide enough that a few failing requests of one client do not close the door for all. */
export const DEFAULT_BREAKER: BreakerPolicy = {
  windowMs: 10_000,
  minimumAttempts: 200,
  failureShare: 0.8,
  openMs: 5_000,
}

export type BreakerState = 'closed' | 'open' | 'half_open'

/** How an attempt ended: `ignored` says nothing about the upstream's health, such as an abort or a refused parameter. */
export type AttemptOutcome = 'success' | 'failure' | 'ignored'

/**
 * Keeps calls from an upstream that fails almost always. Time is given in, in epoch milliseconds.
 * Open, it lets one probe through per `openMs`; a successful one closes it.
 */
export class CircuitBreaker {
  readonly #policy: BreakerPolicy
  #windowStart = 0
  #attempts = 0
  #failures = 0
  #openUntil: number | undefined
  #probing = false

  constructor(policy: BreakerPolicy) {
    this.#policy = policy
  }

  state(now: number): BreakerState {
    if (this.#openUntil === undefined) return 'closed'
    return now < this.#openUntil && !this.#probing ? 'open' : 'half_open'
  }

  /** @returns undefined when the attempt may go (then `record` must follow), else how long to stay away, in ms */
  refuses(now: number): number | undefined {
    if (this.#openUntil === undefined) return undefined
    if (this.#probing) return this.#policy.openMs
    if (now < this.#openUntil) return this.#openUntil - now
    this.#probing = true
    return undefined
  }

  record(outcome: AttemptOutcome, now: number): void {
    if (this.#openUntil !== undefined) this.#recordProbe(outcome, now)
    else if (outcome !== 'ignored') this.#count(outcome, now)
  }

  #recordProbe(outcome: AttemptOutcome, now: number): void {
    if (!this.#probing) return
    this.#probing = false
    if (outcome === 'success') this.#reset(now)
    else if (outcome === 'failure') this.#openUntil = now + this.#policy.openMs
  }

  #count(outcome: AttemptOutcome, now: number): void {
    if (now - this.#windowStart > this.#policy.windowMs) this.#reset(now)
    this.#attempts += 1
    if (outcome === 'failure') this.#failures += 1
    if (this.#attempts < this.#policy.minimumAttempts) return
    if (this.#failures >= this.#attempts * this.#policy.failureShare)
      this.#openUntil = now + this.#policy.openMs
  }

  #reset(now: number): void {
    this.#openUntil = undefined
    this.#windowStart = now
    this.#attempts = 0
    this.#failures = 0
  }
}
