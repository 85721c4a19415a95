import { ServiceError } from '../errors.js'
import type { CancelSignal } from '../util/cancellation.js'

export interface AdmissionLimits {
  readonly maxConcurrent: number
  /** How many more may wait for a place. */
  readonly maxQueue: number
  readonly queueTimeoutMs: number
}

/** What a refused client is told to wait. */
const RETRY_AFTER_SECONDS = 1

interface Waiter {
  enter(): void
}

/** Bounds the calls in flight and the calls that wait; whoever finds both full is refused at once. */
export class Admission {
  readonly #limits: AdmissionLimits
  #active = 0
  readonly #waiting = new Set<Waiter>()

  constructor(limits: AdmissionLimits) {
    this.#limits = limits
  }

  get active(): number {
    return this.#active
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Takes a place, waiting in turn; the caller must call `leave` exactly once after.
   *
   * @returns undefined when there is a place now, so that the usual case costs no promise
   * @throws ServiceError `overloaded`; or the signal's reason
   */
  enter(signal: CancelSignal): Promise<void> | undefined {
    if (this.#active < this.#limits.maxConcurrent) {
      this.#active += 1
      return undefined
    }
    if (this.#waiting.size >= this.#limits.maxQueue) throw overloaded('the queue for the model is full')
    return this.#wait(signal)
  }

  leave(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#active -= 1
    else next.enter()
  }

  #wait(signal: CancelSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        this.#waiting.delete(waiter)
        finish()
      }
      const waiter: Waiter = { enter: () => settle(resolve) }
      const onAbort = () => settle(() => reject(signal.reason))
      const onTimeout = () => settle(() => reject(overloaded('waited too long for the model')))
      const timer = setTimeout(onTimeout, this.#limits.queueTimeoutMs)
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting.add(waiter)
    })
  }
}

function overloaded(message: string): ServiceError {
  return new ServiceError('overloaded', message, { headers: { 'retry-after': `${RETRY_AFTER_SECONDS}` } })
}
