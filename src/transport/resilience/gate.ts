import type { CancelSignal } from '../../util/cancellation.js'

/** How many are let through, and how many more may wait. */
export interface GateLimits {
  readonly limit: number
  readonly maxWaiting: number
  /** How long each of them waits at most, in milliseconds; undefined: as long as its signal lets it. */
  readonly maxWaitMs?: number | undefined
}

/** What those get who are not let through. */
export interface GateRefusals {
  /** @param waiting how many wait already */
  crowded(waiting: number): Error
  late(): Error
  /** @param reason of the signal that aborted */
  cancelled(reason: unknown): Error
}

/** Lets this many through at once; the others wait in order, and anybody who finds both full is refused at once. */
export class Gate {
  readonly #limits: GateLimits
  readonly #refusals: GateRefusals
  readonly #waiting = new Set<() => void>()
  #active = 0

  constructor(limits: GateLimits, refusals: GateRefusals) {
    this.#limits = limits
    this.#refusals = refusals
  }

  get active(): number {
    return this.#active
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Takes a place, waiting in turn; `leave` must be called exactly once after.
   *
   * @returns undefined when there is a place now, so that the usual case costs no promise
   * @throws one of the refusals
   */
  enter(signal: CancelSignal): Promise<void> | undefined {
    const { limit, maxWaiting } = this.#limits
    if (this.#active < limit) {
      this.#active += 1
      return undefined
    }
    if (this.#waiting.size >= maxWaiting) throw this.#refusals.crowded(this.#waiting.size)
    return this.#wait(signal)
  }

  /** The place goes straight to the next one: `active` stays. */
  leave(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#active -= 1
    else next()
  }

  #wait(signal: CancelSignal): Promise<void> {
    const { maxWaitMs } = this.#limits
    const { late, cancelled } = this.#refusals
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        this.#waiting.delete(proceed)
        finish()
      }
      const proceed = () => settle(resolve)
      const onAbort = () => settle(() => reject(cancelled(signal.reason)))
      const timer =
        maxWaitMs === undefined ? undefined : setTimeout(() => settle(() => reject(late())), maxWaitMs)
      this.#waiting.add(proceed)
      if (signal.aborted) onAbort()
      else signal.addEventListener('abort', onAbort, { once: true })
    })
  }
}
