import type { ServiceError } from '../errors.js'
import { Cancellation, type CancelSignal } from '../util/cancellation.js'
import type { Clock } from '../util/time/clock.js'
import type { EventState } from './contract/event-state.js'
import type { Commit, Lease, LeaseReply, LeaseState } from './contract/lease-state.js'
import { HeldLease } from './held-lease.js'
import type { LeaseObserver } from './lease-observer.js'
import { batchOf, type EventId, EventNames, type StateEvent, type TypedEvent } from './logged-event.js'
import { refused } from './state-errors.js'

/** A commit without what a run itself knows: its number and the ids of its events. */
export type RunCommit<Event extends TypedEvent = TypedEvent> = Omit<Commit, 'n' | 'events'> & {
  readonly events?: readonly Event[]
}

/** What of a store a run writes with. */
export type RunStore = Pick<LeaseState, 'commit' | 'renew' | 'onCancel'> & {
  readonly events: Pick<EventState, 'append'>
}

/** The lease of a run, and its observer. */
export interface LeasedRunOptions<Event extends TypedEvent = TypedEvent> {
  readonly store: RunStore
  readonly lease: Lease
  readonly clock: Clock
  /** Two events as one, for those that may be gathered, such as deltas of a text; undefined: they stay two. */
  readonly gather?: (earlier: Event, later: Event) => Event | undefined
  /** Called with every event as soon as it has its id: the live stream. */
  readonly onEvent?: ((event: StateEvent) => void) | undefined
  /** Somebody asked for the end of the turn before this process began to listen. */
  readonly cancelRequested?: boolean
  /** Default: nobody is notified. */
  readonly observer?: LeaseObserver | undefined
}

/** Why a run's signal aborted: somebody asked for the turn's end. The run still commits. */
export class CancelRequested extends Error {
  override readonly name = 'CancelRequested'
}

/** The longest time that events wait for others to be gathered with. */
const GATHER_MS = 25

/**
 * What a process holds while it works on a turn. It renews the lease, numbers commits and events, sends one thing at a
 * time, and tries again while the store is away, until the lease is over.
 *
 * Events are emitted at once or come with a commit. Emitted ones are shown live with the ids under which they are
 * stored, before they are stored; those of a commit after it. Both in the order of their ids. What nobody waits for is
 * sent when the event loop turns, or with a commit that comes before that: most turns need no append of their own.
 */
export class LeasedRun<Event extends TypedEvent = TypedEvent> {
  readonly lease: Lease
  readonly #options: LeasedRunOptions<Event>
  readonly #stop = new Cancellation()
  readonly #stopListening: () => void
  #order: Promise<unknown> = Promise.resolve()
  #n = 0
  readonly #held: HeldLease
  readonly #names: EventNames
  /** Emitted and without ids. */
  #gathered: Event[] = []
  /** Events with ids that were published but not stored yet. */
  #unsent: readonly StateEvent[] = []
  #gatherTimer: NodeJS.Timeout | undefined
  #lastTold = Number.NEGATIVE_INFINITY
  /** Commits with events that wait or are under way: what is emitted meanwhile comes after their events. */
  #holding = 0
  /** Nobody waits for it. */
  #deferred: RunCommit<Event> | undefined
  #flush: NodeJS.Immediate | undefined
  #over = false

  constructor(options: LeasedRunOptions<Event>) {
    this.#options = options
    this.lease = options.lease
    this.#names = new EventNames(options.lease.epoch)
    this.#held = new HeldLease(options, {
      commits: () => this.#n,
      renewed: (reply) => this.#heard(reply),
      lost: (error) => this.#lose(error),
    })
    this.#stopListening = options.store.onCancel(({ record, turn }) => {
      const { lease } = this
      if (record.kind === lease.kind && record.id === lease.id && turn === lease.turn) this.#cancel()
    })
    if (options.cancelRequested === true) this.#cancel()
  }

  /** Aborts with {@link CancelRequested}, or with a `turn_interrupted` when the lease is lost. */
  get signal(): CancelSignal {
    return this.#stop
  }

  /** The number of the last event that has an id, in the lease's epoch. */
  get lastEvent(): EventId | undefined {
    return this.#names.last
  }

  /**
   * Publishes an event now or, if another was published a moment ago, together with the events that follow. Without
   * live readers it waits for them, or for a commit that includes it.
   */
  emit(event: Event): void {
    if (this.#over || this.#held.lost !== undefined) return
    const last = this.#gathered.at(-1)
    const both = last && this.#options.gather?.(last, event)
    if (both === undefined) this.#gathered.push(event)
    else this.#gathered[this.#gathered.length - 1] = both
    this.#tellSoon()
  }

  /**
   * Writes, after everything that was committed or emitted before. A turn status other than `running` ends the run.
   *
   * @throws ServiceError `turn_interrupted` when the lease is lost: nothing was written, and nothing more will be;
   * other codes of {@link StateStore.commit}: the run continues without this commit
   */
  async commit(change: RunCommit<Event>): Promise<void> {
    const whole = this.#deferred === undefined ? change : joinCommits(this.#deferred, change)
    this.#deferred = undefined
    const holds = whole.events !== undefined && whole.events.length > 0
    if (holds) this.#holding += 1
    try {
      await this.#inOrder(() => this.#send(whole))
    } finally {
      if (holds) this.#holding -= 1
      if (!this.#over) this.#goOn()
    }
  }

  /** Commits a change that nobody waits for: written with the next commit, or when the event loop turns. */
  commitSoon(change: RunCommit<Event>): void {
    this.#deferred = this.#deferred === undefined ? change : joinCommits(this.#deferred, change)
    this.#flushSoon()
  }

  /**
   * Called before anything acts. A lease that may have run out while this process was suspended is renewed first, which
   * the store refuses when another process has it.
   *
   * @returns undefined where this machine's clocks say that the lease holds
   * @throws ServiceError `turn_interrupted`
   */
  assertHeld(): Promise<void> | undefined {
    const { lost, holds } = this.#held
    if (lost !== undefined) throw lost
    return holds ? undefined : this.#held.renew()
  }

  /**
   * Gives an id to everything emitted so far. For runs whose commits have events only at their end.
   *
   * @returns the id of the last event; undefined before the first
   */
  mark(): EventId | undefined {
    this.#name()
    return this.lastEvent
  }

  /** Stops without a word: the lease runs out, or was given back by a commit. */
  close(): void {
    this.#over = true
    clearTimeout(this.#gatherTimer)
    this.#held.close()
    clearImmediate(this.#flush)
    this.#stopListening()
  }

  async #send(change: RunCommit<Event>): Promise<void> {
    this.#name()
    const told = this.#unsent
    const fresh = change.events === undefined ? [] : this.#names.next(change.events)
    const events = batchOf(fresh.length === 0 ? told : [...told, ...fresh])
    const commit = { ...change, n: this.#n + 1, events }
    const status = change.turn?.status
    const ends = change.release === true || (status !== undefined && status !== 'running')
    // The end of a lease that may have run out is refused, where nobody has it by now, too.
    if (ends && !this.#held.holds) await this.#held.renew()
    const reply = await this.#held.write(() => this.#options.store.commit(this.lease, commit))
    this.#n = commit.n
    this.#names.take(fresh.length)
    this.#forgetSent(told.length)
    if (ends) this.close()
    this.#tellLive(fresh)
    this.#heard(reply)
    // An answer older than the lease, in a process that was suspended, does not say which process has the turn now.
    if (!this.#over && !this.#held.holds) await this.#held.renew()
  }

  /** What a commit did not take along, because it failed or because it came later, goes its own way. */
  #goOn(): void {
    if (this.#unsent.length > 0) this.#flushSoon()
    this.#tellSoon()
  }

  #tellSoon(): void {
    if (this.#gathered.length === 0 || this.#holding > 0 || this.#gatherTimer !== undefined) return
    const { clock, onEvent } = this.#options
    const wait = onEvent === undefined ? GATHER_MS : this.#lastTold + GATHER_MS - clock.now()
    if (wait <= 0) this.#tell()
    else this.#gatherTimer = setTimeout(() => this.#tell(), wait)
  }

  /** Gives ids to the collected events, emits them, and has them stored. */
  #tell(): void {
    this.#gatherTimer = undefined
    if (this.#holding > 0) return
    this.#name()
    if (this.#unsent.length > 0) this.#flushSoon()
  }

  #flushSoon(): void {
    this.#flush ??= setImmediate(() => {
      this.#flush = undefined
      if (this.#deferred !== undefined) this.commit({}).catch(() => {})
      else this.#order = this.#order.then(() => this.#append()).catch(() => {})
    })
  }

  /** A pending timer stays: it emits what comes after this. */
  #name(): void {
    if (this.#gathered.length === 0) return
    const named = this.#names.next(this.#gathered)
    this.#names.take(named.length)
    this.#gathered = []
    // A new list: the one before may be on its way.
    this.#unsent = this.#unsent.length === 0 ? named : [...this.#unsent, ...named]
    this.#lastTold = this.#options.clock.now()
    this.#tellLive(named)
  }

  /** If the lease was lost, the signal has reported it; if the run has ended, everything is written. */
  async #append(): Promise<void> {
    const batch = batchOf(this.#unsent)
    if (batch.events.length === 0 || this.#over || this.#held.lost !== undefined) return
    await this.#held.write(() => this.#options.store.events.append(this.lease, batch))
    this.#forgetSent(batch.events.length)
  }

  #forgetSent(count: number): void {
    this.#unsent = this.#unsent.slice(count)
  }

  #tellLive(events: readonly StateEvent[]): void {
    for (const event of events) this.#options.onEvent?.(event)
  }

  /** One at a time: a repetition must never overtake what comes after it. */
  #inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#order.then(() => {
      if (this.#held.lost !== undefined) throw this.#held.lost
      if (this.#over) throw refused('fenced', this.lease)
      return work()
    })
    this.#order = result.catch(() => {})
    return result
  }

  #heard({ cancelRequested }: LeaseReply): void {
    if (cancelRequested) this.#cancel()
  }

  #cancel(): void {
    this.#stop.abort(new CancelRequested('The end of the turn was asked for'))
  }

  #lose(error: ServiceError): void {
    this.close()
    this.#stop.abort(error)
  }
}

/** Two commits as one that leaves behind what the second would after the first. */
export function joinCommits<Event extends TypedEvent>(
  first: RunCommit<Event>,
  second: RunCommit<Event>,
): RunCommit<Event> {
  const { messages, approvals, events, entries, turn } = first
  const joined: { -readonly [Name in keyof RunCommit<Event>]: RunCommit<Event>[Name] } = {
    ...first,
    ...second,
  }
  if (messages !== undefined) joined.messages = [...messages, ...(second.messages ?? [])]
  if (approvals !== undefined) joined.approvals = [...approvals, ...(second.approvals ?? [])]
  if (events !== undefined) joined.events = [...events, ...(second.events ?? [])]
  if (turn !== undefined) joined.turn = joinTurns(turn, second.turn)
  if (entries !== undefined) joined.entries = new Map([...entries, ...(second.entries ?? [])])
  return joined
}

type TurnChange = NonNullable<RunCommit['turn']>

/** The end of a turn forgets its state, unless it comes with one. */
function joinTurns({ state, ...first }: TurnChange, second: TurnChange = {}): TurnChange {
  const isOver = second.status !== undefined && second.status !== 'running'
  return { ...first, ...(state !== undefined && !isOver && { state }), ...second }
}
