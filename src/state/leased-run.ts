import { ServiceError } from '../errors.js'
import { Cancellation, type CancelSignal } from '../util/cancellation.js'
import type { Clock } from '../util/clock.js'
import { eventId } from './event-id.js'
import { refused } from './state-errors.js'
import type { Commit, Lease, LeaseReply, StateEvent, StateStore } from './state-store.js'

/** An event that has no id yet. */
export type NewEvent = Omit<StateEvent, 'id'>

/** A commit without what the run itself knows: its number and the ids of its events. */
export type RunCommit = Omit<Commit, 'n' | 'events'> & { readonly events?: readonly NewEvent[] }

export interface LeasedRunOptions {
  readonly store: StateStore
  readonly lease: Lease
  readonly clock: Clock
  /** Two events as one, for those that may be gathered, such as deltas of a text; undefined: they stay two. */
  readonly gather?: (earlier: NewEvent, later: NewEvent) => NewEvent | undefined
  /** Called with every event as soon as it has its id: the live stream. */
  readonly onEvent?: (event: StateEvent) => void
  /** Somebody asked for the end of the turn before this process began to listen. */
  readonly cancelRequested?: boolean
}

/** Why a run's signal aborted: somebody asked for the turn's end. The run still commits. */
export class CancelRequested extends Error {
  override readonly name = 'CancelRequested'
}

/** The longest time that events wait for others to be gathered with. */
const GATHER_MS = 25
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 500

/**
 * What a process holds while it works on a turn. It renews the lease, numbers commits and events, sends one thing at a
 * time, and tries again while the store is away, until the lease is over.
 *
 * Events are emitted at once or come with a commit. Emitted ones are told live with the ids under which they are
 * stored, before they are stored; those of a commit after it. Both in the order of their ids.
 */
export class LeasedRun {
  readonly lease: Lease
  readonly #options: LeasedRunOptions
  readonly #never = new Cancellation()
  readonly #stop = new Cancellation()
  readonly #stopListening: () => void
  #order: Promise<unknown> = Promise.resolve()
  #n = 0
  #seq = 0
  /** The time at which the lease ends if nothing renews it. */
  #until: number
  /** Emitted and without ids. */
  #gathered: NewEvent[] = []
  /** With ids, told, and not yet sent. */
  #unsent: StateEvent[] = []
  #gatherTimer: NodeJS.Timeout | undefined
  #renewTimer: NodeJS.Timeout | undefined
  #lastTold = Number.NEGATIVE_INFINITY
  /** Commits that wait or are under way: what is emitted meanwhile comes after their events. */
  #committing = 0
  #appending = false
  #lost: ServiceError | undefined
  #over = false

  constructor(options: LeasedRunOptions) {
    this.#options = options
    this.lease = options.lease
    this.#until = options.clock.now() + options.lease.leaseMs
    this.#stopListening = options.store.onCancel(({ record, turn }) => {
      const { lease } = this
      if (record.kind === lease.kind && record.id === lease.id && turn === lease.turn) this.#cancel()
    })
    if (options.cancelRequested === true) this.#cancel()
    this.#renewLater()
  }

  /** Aborts with {@link CancelRequested}, or with a `turn_interrupted` when the lease is lost. */
  get signal(): CancelSignal {
    return this.#stop
  }

  /** The number of the last event that has an id, in the lease's epoch. */
  get lastEvent(): string | undefined {
    return this.#seq === 0 ? undefined : eventId(this.lease.epoch, this.#seq)
  }

  /** Tells an event now or, if another was told a moment ago, together with those that follow. */
  emit(event: NewEvent): void {
    if (this.#over || this.#lost !== undefined) return
    const last = this.#gathered.at(-1)
    const both = last && this.#options.gather?.(last, event)
    if (both === undefined) this.#gathered.push(event)
    else this.#gathered[this.#gathered.length - 1] = both
    if (this.#committing > 0 || this.#gatherTimer !== undefined) return
    const wait = this.#lastTold + GATHER_MS - this.#options.clock.now()
    if (wait <= 0) this.#tell()
    else this.#gatherTimer = setTimeout(() => this.#tell(), wait)
  }

  /**
   * Writes, after everything that was committed or emitted before. A turn status other than `running` ends the run.
   *
   * @throws ServiceError `turn_interrupted` when the lease is lost: nothing was written, and nothing more will be;
   * other codes of {@link StateStore.commit}: the run goes on without this commit
   */
  async commit(change: RunCommit): Promise<void> {
    this.#committing += 1
    try {
      await this.#inOrder(() => this.#send(change))
    } finally {
      this.#committing -= 1
      if (this.#committing === 0 && !this.#over) this.#tell()
    }
  }

  /** Stops without a word: the lease runs out, or was given back by a commit. */
  close(): void {
    this.#over = true
    clearTimeout(this.#gatherTimer)
    clearTimeout(this.#renewTimer)
    this.#stopListening()
  }

  async #send({ events = [], ...change }: RunCommit): Promise<void> {
    this.#name()
    const fresh = events.map((event, index) => this.#withId(event, this.#seq + 1 + index))
    const commit = { ...change, n: this.#n + 1, ...this.#batch([...this.#unsent, ...fresh]) }
    const reply = await this.#persist(() => this.#options.store.commit(this.lease, commit))
    this.#n = commit.n
    this.#seq += fresh.length
    this.#unsent = []
    const status = change.turn?.status
    if (status !== undefined && status !== 'running') this.close()
    this.#tellLive(fresh)
    this.#heard(reply)
  }

  /** Gives ids to what was gathered, tells it, and sees that it is stored. */
  #tell(): void {
    if (this.#committing > 0) return
    this.#name()
    if (this.#appending || this.#unsent.length === 0) return
    this.#appending = true
    // Whoever lost the lease has been told by the signal.
    this.#inOrder(() => this.#append()).catch(() => {})
  }

  #name(): void {
    clearTimeout(this.#gatherTimer)
    this.#gatherTimer = undefined
    if (this.#gathered.length === 0) return
    const named = this.#gathered.map((event, index) => this.#withId(event, this.#seq + 1 + index))
    this.#gathered = []
    this.#seq += named.length
    this.#unsent.push(...named)
    this.#lastTold = this.#options.clock.now()
    this.#tellLive(named)
  }

  async #append(): Promise<void> {
    this.#appending = false
    // A copy: more get ids while these are on their way.
    const events = [...this.#unsent]
    const { events: batch } = this.#batch(events)
    if (batch === undefined) return
    await this.#persist(() => this.#options.store.events.append(this.lease, batch))
    this.#unsent = this.#unsent.slice(events.length)
  }

  #batch(events: readonly StateEvent[]): Pick<Commit, 'events'> {
    const [first] = events
    if (first === undefined) return {}
    return { events: { first: Number(first.id.slice(first.id.indexOf('-') + 1)), events } }
  }

  #withId({ type, json }: NewEvent, seq: number): StateEvent {
    return { id: eventId(this.lease.epoch, seq), type, json }
  }

  #tellLive(events: readonly StateEvent[]): void {
    for (const event of events) this.#options.onEvent?.(event)
  }

  /** One at a time: a repetition must never overtake what comes after it. */
  #inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#order.then(() => {
      if (this.#lost !== undefined) throw this.#lost
      if (this.#over) throw refused('fenced', this.lease)
      return work()
    })
    this.#order = result.catch(() => {})
    return result
  }

  /** Tries again while the store is away and the lease may still be ours. */
  async #persist<Result>(work: () => Promise<Result>): Promise<Result> {
    const { clock } = this.#options
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const sent = clock.now()
      try {
        const result = await work()
        this.#until = sent + this.lease.leaseMs
        return result
      } catch (error) {
        const code = error instanceof ServiceError ? error.code : undefined
        if (code === 'turn_interrupted') throw this.#lose(error as ServiceError)
        if (code !== 'state_unavailable') throw error
        if (clock.now() + pause > this.#until) throw this.#lose(interrupted(error))
        await clock.sleep(pause, this.#never)
      }
    }
  }

  #renewLater(): void {
    this.#renewTimer = setTimeout(() => void this.#renew(), this.lease.leaseMs / 3)
  }

  async #renew(): Promise<void> {
    const n = this.#n
    try {
      this.#heard(await this.#persist(() => this.#options.store.renew(this.lease, n)))
    } catch {
      // The signal has told.
    }
    if (!this.#over && this.#lost === undefined) this.#renewLater()
  }

  #heard({ cancelRequested }: LeaseReply): void {
    if (cancelRequested) this.#cancel()
  }

  #cancel(): void {
    this.#stop.abort(new CancelRequested('The end of the turn was asked for'))
  }

  #lose(error: ServiceError): ServiceError {
    // A renewal that crosses the last commit is late, not lost.
    if (this.#over) return error
    this.#lost ??= error
    this.close()
    this.#stop.abort(this.#lost)
    return this.#lost
  }
}

function interrupted(cause: unknown): ServiceError {
  return new ServiceError('turn_interrupted', 'The store was away for longer than the lease of the turn', {
    cause,
  })
}
