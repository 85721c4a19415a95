import { at } from '../../util/at.js'
import type { CircuitState, Verdict } from './circuit.js'

/** When a circuit opens and how long it stays so. */
export interface SharePolicy {
  /** Of the attempts, the last ones that count. What came before them, however good it was, is past. */
  readonly recentAttempts: number
  /** Older attempts do not count either. */
  readonly windowMs: number
  /** Fewer recent attempts than this prove nothing. */
  readonly minimumAttempts: number
  /** The share of failed attempts, 0 to 1, that opens the circuit. */
  readonly failureShare: number
  /** How long nothing is sent before one probe may go. */
  readonly openMs: number
}

/** Wide enough that a few failing requests of one client do not close the door for all. */
export const DEFAULT_BREAKER: SharePolicy = {
  recentAttempts: 100,
  windowMs: 60_000,
  minimumAttempts: 20,
  failureShare: 0.8,
  openMs: 5_000,
}

/**
 * Keeps calls from what fails almost always, judged by the share of recent attempts: right for an upstream whose many
 * clients ask for different things. Time is given in, in epoch milliseconds.
 * Open, it lets one probe through per `openMs`; a successful one closes it.
 */
export class ShareBreaker {
  readonly #policy: SharePolicy
  readonly #recent: RecentAttempts
  #openUntil: number | undefined
  #probing = false

  constructor(policy: SharePolicy) {
    this.#policy = policy
    this.#recent = new RecentAttempts(policy.recentAttempts)
  }

  state(now: number): CircuitState {
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

  /** `source` is whatever the attempt was made for: the failures of one source alone never open the circuit. */
  record(verdict: Verdict, now: number, source: object): void {
    if (this.#openUntil !== undefined) this.#recordProbe(verdict, now)
    else if (verdict !== 'neutral') this.#count(verdict, now, source)
  }

  #recordProbe(verdict: Verdict, now: number): void {
    if (!this.#probing) return
    this.#probing = false
    if (verdict === 'healthy') this.#close()
    else if (verdict === 'unhealthy') this.#openUntil = now + this.#policy.openMs
  }

  #count(verdict: Verdict, now: number, source: object): void {
    const recent = this.#recent
    recent.forgetBefore(now - this.#policy.windowMs)
    recent.add(now, verdict === 'unhealthy' ? source : undefined)
    if (verdict === 'unhealthy' && this.#isDown()) this.#openUntil = now + this.#policy.openMs
  }

  #isDown(): boolean {
    const { size, failures } = this.#recent
    if (size < this.#policy.minimumAttempts || failures < size * this.#policy.failureShare) return false
    return this.#recent.haveFailedForSeveral()
  }

  #close(): void {
    this.#openUntil = undefined
    this.#recent.clear()
  }
}

/** Nothing failed. */
const SUCCESS = 0

/** The last attempts in a ring: when each was made, and for whom it failed. */
class RecentAttempts {
  readonly #times: Float64Array
  /** The number of the source that an attempt failed for, or `SUCCESS`. */
  readonly #failed: Float64Array
  /** Numbers instead of the sources themselves, which would be kept alive. */
  readonly #numbers = new WeakMap<object, number>()
  #lastNumber = SUCCESS
  #next = 0
  size = 0
  failures = 0

  constructor(capacity: number) {
    this.#times = new Float64Array(capacity)
    this.#failed = new Float64Array(capacity)
  }

  add(now: number, failedFor: object | undefined): void {
    if (this.size === this.#times.length) this.#dropOldest()
    this.#times[this.#next] = now
    this.#failed[this.#next] = failedFor === undefined ? SUCCESS : this.#numberOf(failedFor)
    this.#next = (this.#next + 1) % this.#times.length
    this.size += 1
    if (failedFor !== undefined) this.failures += 1
  }

  forgetBefore(time: number): void {
    while (this.size > 0 && at(this.#times, this.#oldest) < time) this.#dropOldest()
  }

  haveFailedForSeveral(): boolean {
    let only = SUCCESS
    for (let index = 0; index < this.size; index += 1) {
      const source = at(this.#failed, (this.#oldest + index) % this.#times.length)
      if (source !== SUCCESS && only !== SUCCESS && source !== only) return true
      if (source !== SUCCESS) only = source
    }
    return false
  }

  clear(): void {
    this.size = 0
    this.failures = 0
  }

  get #oldest(): number {
    return (this.#next - this.size + this.#times.length) % this.#times.length
  }

  #dropOldest(): void {
    if (this.#failed[this.#oldest] !== SUCCESS) this.failures -= 1
    this.size -= 1
  }

  #numberOf(source: object): number {
    const known = this.#numbers.get(source)
    if (known !== undefined) return known
    this.#lastNumber += 1
    this.#numbers.set(source, this.#lastNumber)
    return this.#lastNumber
  }
}
