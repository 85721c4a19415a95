import { ServiceError } from '../errors.js'
import { type Backoff, backoffMs } from '../transport/resilience/backoff.js'
import { Cancellation } from '../util/cancellation.js'
import type { Clock } from '../util/time/clock.js'
import type { Lease, LeaseReply, LeaseState } from './contract/lease-state.js'
import type { LeaseLoss, LeaseObserver } from './lease-observer.js'

/** A lease, and where and by which clock it is held. */
export interface HeldLeaseOptions {
  readonly store: Pick<LeaseState, 'renew'>
  readonly lease: Lease
  readonly clock: Clock
  /** Default: nobody is notified. */
  readonly observer?: LeaseObserver | undefined
}

/** Who works under a lease. */
export interface LeaseHolder {
  /** How many commits the lease has had: what a renewal says, so that the store sees what it has lost. */
  commits(): number
  /** Called with what the store answers to a renewal. */
  renewed(reply: LeaseReply): void
  /** Called once, when the lease is lost. */
  lost(error: ServiceError): void
}

/** A moment by both clocks: the wall clock may be set, and the other may stop while the machine sleeps. */
interface Moment {
  readonly now: number
  readonly elapsed: number
}

const PAUSES: Backoff = { firstMs: 50, longestMs: 500 }

/**
 * A lease in this process: how long it holds by this machine's clocks, renewed from time to time and by every write, and
 * lost when the store gives it to another or is away for too long.
 */
export class HeldLease {
  readonly #options: HeldLeaseOptions
  readonly #holder: LeaseHolder
  /** When the write that renewed the lease last was sent. */
  #renewedAt: Moment
  #timer: NodeJS.Timeout | undefined
  #lost: ServiceError | undefined
  #isClosed = false

  constructor(options: HeldLeaseOptions, holder: LeaseHolder) {
    this.#options = options
    this.#holder = holder
    this.#renewedAt = momentOf(options.clock)
    this.#renewLater()
  }

  /** Why it is lost; undefined while it is not. */
  get lost(): ServiceError | undefined {
    return this.#lost
  }

  /** Whether it still holds, by the clock that says the least. */
  get holds(): boolean {
    return this.#leftMs() > 0
  }

  /** Renews it, which the store refuses where another process has the work. @throws ServiceError `turn_interrupted` */
  async renew(): Promise<void> {
    const { store, lease } = this.#options
    const n = this.#holder.commits()
    this.#holder.renewed(await this.write(() => store.renew(lease, n)))
  }

  /**
   * Writes, again and again while the store is away and the lease may still be ours. What is written renews the lease.
   *
   * @throws ServiceError `turn_interrupted` when the lease is lost, and what else the write throws
   */
  async write<Result>(work: () => Promise<Result>): Promise<Result> {
    const { clock, observer, lease } = this.#options
    for (let failures = 0; ; ) {
      const sent = momentOf(clock)
      try {
        const result = await work()
        this.#renewedAt = sent
        return result
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        if (error.code === 'turn_interrupted') throw this.#lose(error, 'refused')
        if (error.code !== 'state_unavailable') throw error
        observer?.refused(lease, 'unavailable')
        failures += 1
        const pause = backoffMs(PAUSES, failures)
        if (this.#leftMs() < pause) throw this.#lose(interrupted(error), 'expired')
        await clock.sleep(pause, new Cancellation())
      }
    }
  }

  /** Renews it no longer. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #leftMs(): number {
    const { clock, lease } = this.#options
    const { now, elapsed } = momentOf(clock)
    const passed = Math.max(now - this.#renewedAt.now, elapsed - this.#renewedAt.elapsed)
    return lease.leaseMs - passed
  }

  #renewLater(): void {
    this.#timer = setTimeout(() => void this.#renewAgain(), this.#options.lease.leaseMs / 3)
  }

  async #renewAgain(): Promise<void> {
    try {
      await this.renew()
    } catch {
      // Its holder was notified.
    }
    if (!this.#isClosed && this.#lost === undefined) this.#renewLater()
  }

  #lose(error: ServiceError, cause: LeaseLoss): ServiceError {
    // A renewal that crosses the last commit is late, not lost.
    if (this.#isClosed) return this.#lost ?? error
    const { observer, lease } = this.#options
    this.#lost = error
    if (cause === 'refused') observer?.refused(lease, 'fenced')
    observer?.lost(lease, cause)
    this.close()
    this.#holder.lost(error)
    return error
  }
}

function momentOf(clock: Clock): Moment {
  return { now: clock.now(), elapsed: clock.elapsed() }
}

function interrupted(cause: unknown): ServiceError {
  return new ServiceError('turn_interrupted', 'The store was away for longer than the lease of the turn', {
    cause,
  })
}
