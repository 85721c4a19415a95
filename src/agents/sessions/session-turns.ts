import { randomUUID } from 'node:crypto'
import { ServiceError } from '../../errors.js'
import type { BeginRequest, CancelOutcome, Grant } from '../../state/contract/lease-state.js'
import type { RecordAddress } from '../../state/contract/record-state.js'
import type { TurnView } from '../../state/contract/turn-state.js'
import type { EventId, FollowedItem, StateEvent } from '../../state/logged-event.js'
import { toFollowed } from '../../state/replay-turn.js'
import { createToolbox, type Toolbox } from '../../tools/toolbox.js'
import type { CallContext } from '../../util/call-context.js'
import { Cancellation } from '../../util/cancellation.js'
import { stringifyJson } from '../../util/json/json.js'
import { newId } from '../../util/new-id.js'
import { waitAtMost } from '../../util/time/time-limits.js'
import { endsReading, endsTurn } from '../cycle/turn-event.js'
import { sessionMemoryTool } from '../tools/session-memory-tool.js'
import { LiveEvents } from './live-events.js'
import { endTurn, runTurn, type TurnRunOptions } from './run-turn.js'
import { RunWatch } from './run-watch.js'
import { Runs } from './runs.js'
import { agentOf, readHead, type TurnInput, versionDigestOf } from './session-record.js'
import type { SessionRuntime } from './session-runtime.js'
import { interruptedTurn, unknownOutcome } from './turn-errors.js'
import { outcomeOf, type TurnOutcome } from './turn-outcome.js'

/** What begins a turn. */
export interface TurnRequest {
  readonly input: TurnInput
  /** Default: the active context. */
  readonly context?: string | undefined
  /** The same key with the same body is the same turn. */
  readonly idempotency?: BeginRequest['idempotency']
  readonly call: Pick<CallContext, 'requestId' | 'traceparent'>
}

/** A turn that was begun here, or long before by the same key. */
export interface StartedTurn {
  readonly turn: number
  /** From the turn's first event to its pause or end, wherever it is run to there; what hinders that is thrown. */
  readonly events: AsyncIterable<FollowedItem>
  /** Rejects only for a repeated turn whose store is away. */
  outcome(): Promise<TurnOutcome>
}

/** How often turns that nobody runs are looked for, in milliseconds. */
const LOOK_EVERY_MS = 1_000
const LOOK_LIMIT = 100
/** When to check a found turn again, in case the process that found it is gone, too. */
const LOOK_AGAIN_MS = 5_000
const SHUTTING_DOWN = 'The service is shutting down'
/** How long turns that the deadline ends may take to be written, in milliseconds. */
const LAST_COMMITS_MS = 1_000

/** The turns of sessions: begun, resumed, taken over, watched and ended, whichever process runs them. */
export class SessionTurns {
  /** What they have in common with tasks. */
  readonly runs: Runs
  readonly #runtime: SessionRuntime
  readonly #stop = new Cancellation()
  readonly #running = new Set<Promise<TurnOutcome>>()
  #isClosing = false
  readonly #watch: RunWatch
  readonly #tools: Toolbox
  #looking: NodeJS.Timeout | undefined

  constructor(runtime: SessionRuntime) {
    this.#runtime = runtime
    const remember = sessionMemoryTool((key, value, { session = '' }) =>
      (runtime.memory ?? runtime.store.memory).set({ kind: 'session', id: session }, key, value),
    )
    this.#tools = createToolbox([remember])
    this.#watch = new RunWatch((address) => this.settle(address), runtime.leaseMs)
    this.runs = new Runs({
      kind: 'session',
      store: runtime.store,
      toolboxOf: (address, turn, call) => this.#toolboxOf(address, turn, call),
      proceed: (address, turn, call) => this.resume(address, turn, call),
      decided: (decision) => runtime.observer.decided(decision),
      end: (address, turn) => this.#endUnattended(address, turn),
      lastEvent,
      isLast: endsTurn,
    })
  }

  /** Starts a turn, which runs with or without readers. @throws ServiceError `not_ready`, and as `StateStore.begin` */
  async start(address: RecordAddress, request: TurnRequest): Promise<StartedTurn> {
    if (this.#isClosing) throw new ServiceError('not_ready', SHUTTING_DOWN)
    const { input, context, idempotency, call } = request
    for (;;) {
      const begun = await this.#runtime.store.begin({
        address,
        by: newId(),
        purpose: 'start',
        input,
        context,
        idempotency,
        maxTurns: input.limits.maxTurns,
      })
      if (begun.kind === 'repeated') return this.#repeated(address, begun.turn)
      if (begun.kind === 'started') return this.#run(begun, call, input.stream)
      await this.#takeOver(begun)
    }
  }

  /** Continues a turn whose last approval was resolved; another process may have been faster. */
  async resume(address: RecordAddress, turn: number, call: TurnRequest['call']): Promise<void> {
    if (this.#isClosing) return
    const grant = await this.#take(address, turn)
    if (grant?.kind === 'resumed') this.#run(grant, call, false)
    else if (grant !== undefined) await this.#takeOver(grant)
  }

  /**
   * Continues or ends the turn of a process that is gone, if there is one.
   *
   * @returns how long the lease of the open turn holds, in milliseconds; 0 where nobody is known to have it
   */
  async settle(address: RecordAddress): Promise<number> {
    const { status, turn, leasedForMs } = await this.#runtime.store.read(address)
    if (status !== 'interrupted' || this.#isClosing) return leasedForMs
    const grant = await this.#take(address, turn)
    if (grant !== undefined) await this.#takeOver(grant)
    return 0
  }

  /** Looks from now on after turns that nobody runs: of processes that are gone, and decided ones that nobody resumed. */
  watch(everyMs = LOOK_EVERY_MS): void {
    if (this.#looking !== undefined || this.#isClosing) return
    this.#looking = setInterval(() => void this.#look(), everyMs).unref()
  }

  /** A store that is away for now is asked again. */
  async #look(): Promise<void> {
    try {
      const due = await this.#runtime.store.openTurns.due(LOOK_LIMIT, LOOK_AGAIN_MS)
      if (this.#isClosing) return
      await Promise.all(due.map((address) => this.#attend(address).catch(() => {})))
    } catch {}
  }

  async #attend(address: RecordAddress): Promise<void> {
    const { turn } = await this.#runtime.store.read(address)
    await this.resume(address, turn, { requestId: randomUUID() })
  }

  /**
   * Does what needs a session without an open turn; a turn that nobody runs any more does not count.
   *
   * @throws ServiceError `session_busy`
   */
  async whenIdle<Result>(address: RecordAddress, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'session_busy') throw error
      await this.settle(address)
      return work()
    }
  }

  /** Asks for a turn's end, wherever it runs. @throws ServiceError `turn_not_found` */
  cancel(address: RecordAddress, turn: number): Promise<Pick<CancelOutcome, 'turn' | 'status'>> {
    return this.runs.cancel(address, turn)
  }

  async #endUnattended(address: RecordAddress, turn: number): Promise<boolean> {
    const grant = await this.#take(address, turn)
    if (grant === undefined) return false
    await endTurn(this.#runtime, grant, this.#options({ requestId: randomUUID() }), 'cancelled')
    return true
  }

  async #toolboxOf(address: RecordAddress, turn: number, call: CallContext): Promise<Toolbox> {
    const { store, agents } = this.#runtime
    const [record, { context }] = await Promise.all([store.read(address), store.turns.read(address, turn)])
    const { variables } = readHead(record)
    const agent = agentOf(record, context)
    return (await agents.prepare(agent, { variables, call, digest: versionDigestOf(record, context) }))
      .toolbox
  }

  /** @throws ServiceError `turn_not_found` */
  async read(address: RecordAddress, turn: number): Promise<TurnView> {
    return (await this.#readLeased(address, turn)).view
  }

  async #readLeased(address: RecordAddress, turn: number) {
    const { turns } = this.#runtime.store
    const view = await turns.read(address, turn)
    if (view.status !== 'running') return { view, leasedForMs: 0 }
    const leasedForMs = await this.settle(address)
    return { view: await turns.read(address, turn), leasedForMs }
  }

  /**
   * A turn's events from its first, or after one, to its last, over pauses too. Where events are gone there is a gap,
   * and then, for a turn that is over, its end. What keeps them from coming to the last is thrown.
   *
   * @throws ServiceError `turn_not_found`
   */
  async follow(
    address: RecordAddress,
    turn: number,
    after: EventId | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<FollowedItem>> {
    const { view, leasedForMs } = await this.#readLeased(address, turn)
    if (view.firstEvent === undefined) return nothing()
    return this.runs.follow(address, view, after, signal, () => this.#watch.add(address, leasedForMs))
  }

  /**
   * Starts nothing from now on and lets turns run up to the deadline, with or without readers. Then turns that can
   * continue elsewhere are released, and the others end as `turn_interrupted`. What cannot be written within another
   * second is left to its lease.
   */
  async close(deadlineMs: number): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#looking)
    await waitAtMost(deadlineMs, this.#idle())
    this.#stop.abort(new ServiceError('turn_interrupted', SHUTTING_DOWN))
    await waitAtMost(LAST_COMMITS_MS, this.#idle())
  }

  async #idle(): Promise<void> {
    await Promise.all(this.#running)
  }

  #run(
    grant: Grant,
    call: TurnRequest['call'],
    isRead: boolean,
    onContinue?: TurnRunOptions['onContinue'],
  ): StartedTurn {
    const live = isRead ? new LiveEvents() : undefined
    const options = this.#options(call, live && ((event) => live.push(event)), onContinue)
    const outcome = runTurn(this.#runtime, grant, options)
    this.#running.add(outcome)
    void outcome.then(() => {
      live?.close()
      this.#running.delete(outcome)
    })
    const { turn } = grant.turn
    const address: RecordAddress = { kind: 'session', id: grant.record.id }
    return {
      turn,
      outcome: async () => {
        const ended = await outcome
        return isUnknown(ended) ? this.#wherever(grant, ended) : ended
      },
      events: live === undefined ? nothing() : leavable((left) => this.#tell(address, turn, live, left)),
    }
  }

  /**
   * The events of a turn that runs here, as they happen. Readers take the rest from the log if they are too far behind,
   * or if another process continues or ends the turn because this one lost it.
   */
  async *#tell(
    address: RecordAddress,
    turn: number,
    live: LiveEvents,
    left: AbortSignal,
  ): AsyncGenerator<FollowedItem> {
    let last: EventId | undefined
    for await (const event of live) {
      yield toFollowed(event)
      if (endsReading(event.type)) return
      last = event.id
    }
    if (this.#stop.aborted)
      throw unknownOutcome(turn, this.#runtime.leaseMs, 'The service is shutting down', this.#stop.reason)
    yield* untilPause(await this.follow(address, turn, last, left))
  }

  /** What becomes of a turn that this process has lost, where another one continues it. */
  async #wherever({ record, turn }: Grant, outcome: TurnOutcome): Promise<TurnOutcome> {
    if (this.#stop.aborted) return outcome
    return this.outcomeOf({ kind: 'session', id: record.id }, turn.turn).catch(() => outcome)
  }

  #options(
    { requestId, traceparent }: TurnRequest['call'],
    onEvent?: TurnRunOptions['onEvent'],
    onContinue?: TurnRunOptions['onContinue'],
  ): TurnRunOptions {
    return { requestId, traceparent, tools: this.#tools, stop: this.#stop, onEvent, onContinue }
  }

  /** The lease of an open turn; undefined when somebody else has it, or it is over. */
  async #take(address: RecordAddress, turn: number): Promise<Grant | undefined> {
    try {
      const begun = await this.#runtime.store.begin({
        address,
        by: newId(),
        purpose: 'resume',
        turn,
      })
      return begun.kind === 'repeated' ? undefined : begun
    } catch (error) {
      const code = error instanceof ServiceError ? error.code : undefined
      if (code === 'session_busy' || code === 'turn_not_found') return undefined
      throw error
    }
  }

  /** Resolves when the turn has ended, or certainly continues here. */
  async #takeOver(grant: Grant): Promise<void> {
    const { continuesTurns = true, leases } = this.#runtime
    const call = { requestId: randomUUID() }
    leases?.takenOver(grant.lease, grant.takeovers)
    const { cancelRequested } = grant.record
    if (!cancelRequested && continuesTurns) {
      await new Promise<void>((resolve) => {
        const { outcome } = this.#run(grant, call, false, resolve)
        void outcome().then(() => resolve())
      })
    } else {
      const gone = interruptedTurn(grant.turn.turn, 'The process that ran the turn is gone')
      await endTurn(this.#runtime, grant, this.#options(call), cancelRequested ? 'cancelled' : gone)
    }
  }

  #repeated(address: RecordAddress, turn: number): StartedTurn {
    const events = leavable((left) => untilPause(this.#lazily(address, turn, left)))
    return { turn, events, outcome: () => this.outcomeOf(address, turn) }
  }

  async *#lazily(address: RecordAddress, turn: number, left: AbortSignal): AsyncGenerator<FollowedItem> {
    yield* await this.follow(address, turn, undefined, left)
  }

  /** How an open turn ends or pauses, wherever it runs; of one that is over, how it ended. */
  async outcomeOf(address: RecordAddress, turn: number): Promise<TurnOutcome> {
    const { store } = this.#runtime
    const known = async () => {
      const view = await this.read(address, turn)
      const approvals = view.status === 'paused' ? await store.approvals.list(address) : []
      return outcomeOf(address.id, view, approvals)
    }
    const first = await known()
    if (first !== undefined) return first
    for await (const item of leavable((left) => this.#lazily(address, turn, left))) {
      if (item.kind === 'gap' || (item.type !== 'paused' && !endsTurn(item.type))) continue
      const outcome = await known()
      if (outcome !== undefined) return outcome
    }
    const last = await known()
    if (last !== undefined) return last
    throw unknownOutcome(turn, this.#runtime.leaseMs, 'The turn could not be followed to its end')
  }
}

/** Whether this process does not know the outcome of the turn. */
function isUnknown(outcome: TurnOutcome): boolean {
  return outcome.kind === 'failed' && outcome.error.code === 'outcome_unknown'
}

/** The last event of a turn, made of its record. */
function lastEvent({ turn, status, result = {} }: TurnView): Omit<StateEvent, 'id'> {
  const [type, payload] =
    status === 'completed'
      ? (['turn.completed', { result: { ...result, turn, status } }] as const)
      : status === 'cancelled'
        ? (['turn.cancelled', {}] as const)
        : (['turn.failed', result] as const)
  return { type, json: stringifyJson({ type, ...payload }) }
}

/** The items up to the turn's next pause. */
async function* untilPause(items: AsyncIterable<FollowedItem>): AsyncGenerator<FollowedItem> {
  for await (const item of items) {
    yield item
    if (item.kind === 'event' && endsReading(item.type)) return
  }
}

/** Items that can be left while one is waited for, which a generator alone does not let go. */
function leavable<Item>(make: (left: AbortSignal) => AsyncGenerator<Item>): AsyncIterable<Item> {
  return {
    [Symbol.asyncIterator]() {
      const left = new AbortController()
      const items = make(left.signal)
      return {
        next: () => items.next(),
        return() {
          left.abort()
          return items.return(undefined)
        },
      }
    },
  }
}

async function* nothing(): AsyncGenerator<FollowedItem> {}
