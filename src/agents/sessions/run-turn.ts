import type { StoredMessage } from '../../conversation/history.js'
import type { Message } from '../../conversation/message.js'
import { ServiceError } from '../../errors.js'
import { CostTracker, type TotalUsage, usageSince } from '../../llm/usage.js'
import { LeasedRun, type RunCommit } from '../../state/leased-run.js'
import { eventId, placeAfter, placeBefore, type StateEvent } from '../../state/logged-event.js'
import { shownId } from '../../state/record-name.js'
import type { Grant, MessageChange, RecordAddress } from '../../state/state-store.js'
import type { Toolbox } from '../../tools/toolbox.js'
import type { CallContext } from '../../util/call-context.js'
import { Cancellation, type CancelSignal, whenAborted } from '../../util/cancellation.js'
import { jsonObject } from '../../util/json/json-fields.js'
import { newId } from '../../util/new-id.js'
import { ATTRIBUTE, OPERATION, SPAN } from '../../util/telemetry/span-names.js'
import type { Span } from '../../util/telemetry/tracer.js'
import { shiftedClock } from '../../util/time/clock.js'
import type { CycleJournal, JournalEntry } from '../cycle/cycle-setup.js'
import type { CycleState } from '../cycle/cycle-state.js'
import type { CycleEnd } from '../cycle/run-cycle.js'
import { agentRules, driveTurn, type LeftTurn, type Turn } from '../cycle/turn.js'
import { gatherDeltas, type TurnEvent, toWireResult, toWireUsage } from '../cycle/turn-event.js'
import { LIMIT_NAMES, type Limits, MAX_CONTEXT_CHARACTERS } from '../limits.js'
import type { PreparedAgent } from '../prepared-agent.js'
import { formatSnapshot, joinLayers, userMessage } from '../system-prompt.js'
import { decisionsOf, newApproval, ofTurn, toWireApproval } from './approvals.js'
import { unknownCalls, whyNotContinued } from './continuation.js'
import { sanitise } from './sanitise.js'
import {
  agentOf,
  readHead,
  readInput,
  readTurnState,
  type SessionMessage,
  StoredHistory,
  type StoredTurnState,
  versionDigestOf,
  withUsage,
} from './session-record.js'
import type { SessionRuntime, SettledTurn } from './session-runtime.js'
import { interruptedTurn, unknownOutcome } from './turn-errors.js'
import type { TurnOutcome } from './turn-outcome.js'

/** Under which name a turn runs, who watches, and what ends it. */
export interface TurnRunOptions {
  readonly requestId: string
  readonly traceparent?: string | undefined
  /** Tools of sessions, for the agents that list them. */
  readonly tools: Toolbox
  /** Aborts when the service closes; its reason is what the turn ends with. */
  readonly stop: CancelSignal
  /** Called for every event with the id it is stored under. */
  readonly onEvent?: ((event: StateEvent) => void) | undefined
  /** Called once it is certain that the turn of another process continues here. */
  readonly onContinue?: (() => void) | undefined
}

/** Two clocks that differ by less show the same time: an answer of the store has taken some of it. */
const SAME_TIME_MS = 50

/** Why a turn ends without an answer. */
type Cause = 'cancelled' | ServiceError

/**
 * Runs the turn of a lease, from its start or from its last pause. Never rejects: errors end the turn, unless the lease
 * is lost; then nothing is written, and the new holder continues.
 */
export function runTurn(
  runtime: SessionRuntime,
  grant: Grant,
  options: TurnRunOptions,
): Promise<TurnOutcome> {
  return new TurnRunner(runtime, grant, options).run()
}

/** Ends the turn of a lease without running it: nobody does any more, or nobody shall. Never rejects. */
export function endTurn(
  runtime: SessionRuntime,
  grant: Grant,
  options: TurnRunOptions,
  cause: Cause,
): Promise<TurnOutcome> {
  return new TurnRunner(runtime, grant, options).end(cause)
}

class TurnRunner {
  readonly #runtime: SessionRuntime
  readonly #grant: Grant
  readonly #options: TurnRunOptions
  readonly #run: LeasedRun<TurnEvent>
  readonly #signal = new Cancellation()
  readonly #history: StoredHistory
  /** Of the turn, whichever processes ran it. */
  #spent = new CostTracker()
  /** Of it what was used before this process had it. */
  #before: TotalUsage | undefined
  /** What an earlier process has left. */
  #stored: StoredTurnState | undefined
  readonly #agentId: string
  readonly #startedAt: number
  readonly #onStop: () => void
  /** In the history and not yet written. */
  #unwritten: readonly SessionMessage[] = []
  #state: CycleState | undefined
  #agent: PreparedAgent | undefined
  /** Whether what the user said is in the history. */
  #isSaid: boolean
  readonly #journal: CycleJournal = {
    write: (entry) => this.#write(entry),
    continues: (state) => {
      this.#state = state
    },
  }
  #unexpected: unknown
  #span: Span | undefined

  constructor(runtime: SessionRuntime, grant: Grant, options: TurnRunOptions) {
    const { clock } = runtime
    // All processes that run a turn go by the time of its store.
    const aheadMs = grant.at - clock.now()
    const isSameTime = Math.abs(aheadMs) < SAME_TIME_MS
    this.#runtime = isSameTime ? runtime : { ...runtime, clock: shiftedClock(clock, aheadMs) }
    this.#grant = grant
    this.#options = options
    this.#history = new StoredHistory(grant.messages)
    this.#agentId = agentOf(grant.record, grant.turn.context)
    this.#startedAt = this.#runtime.clock.now()
    this.#isSaid = grant.turn.state !== undefined
    this.#run = new LeasedRun({
      store: runtime.store,
      lease: grant.lease,
      clock: this.#runtime.clock,
      gather: gatherDeltas,
      cancelRequested: grant.record.cancelRequested,
      onEvent: options.onEvent,
      observer: runtime.leases,
    })
    this.#onStop = () => this.#signal.abort(options.stop.reason)
    whenAborted(this.#run.signal, () => this.#signal.abort(this.#run.signal.reason))
    whenAborted(options.stop, this.#onStop)
  }

  async run(): Promise<TurnOutcome> {
    this.#span = this.#startSpan()
    return this.#reported(() => this.#attempt().catch((error: unknown) => this.#fail(error)))
  }

  async end(cause: Cause): Promise<TurnOutcome> {
    return this.#reported(async () => {
      this.#load()
      return this.#end(cause)
    })
  }

  async #reported(work: () => Promise<TurnOutcome>): Promise<TurnOutcome> {
    let outcome: TurnOutcome
    try {
      outcome = await work()
    } catch (error) {
      outcome = { kind: 'failed', error: toServiceError(error) }
      this.#unexpected ??= error
    } finally {
      this.#run.close()
      this.#options.stop.removeEventListener('abort', this.#onStop)
    }
    this.#endSpan(outcome)
    this.#runtime.observer.ended({
      session: this.#session,
      turn: this.#grant.turn.turn,
      agent: this.#agentId,
      requestId: this.#options.requestId,
      endedBy: endedBy(outcome),
      durationMs: this.#runtime.clock.now() - this.#startedAt,
      usage: toWireUsage(this.#usageHere.usage),
      ...(this.#unexpected !== undefined && { unexpected: this.#unexpected }),
    })
    return outcome
  }

  #startSpan(): Span | undefined {
    const { tracer } = this.#runtime
    return tracer?.start(SPAN.agent(this.#agentId), 'internal', this.#options.traceparent, {
      [ATTRIBUTE.operation]: OPERATION.agent,
      [ATTRIBUTE.agentName]: this.#agentId,
      [ATTRIBUTE.conversation]: this.#session,
      [ATTRIBUTE.turn]: this.#turn,
    })
  }

  #endSpan(outcome: TurnOutcome): void {
    const { inputTokens, outputTokens } = this.#usageHere.usage
    this.#span?.set({
      [ATTRIBUTE.endedBy]: endedBy(outcome),
      [ATTRIBUTE.inputTokens]: inputTokens,
      [ATTRIBUTE.outputTokens]: outputTokens,
    })
    this.#span?.end(outcome.kind === 'failed' ? outcome.error.code : undefined)
  }

  async #attempt(): Promise<TurnOutcome> {
    if (this.#signal.aborted) throw this.#signal.reason
    const stored = this.#load()
    const isTakenOver = this.#grant.kind === 'interrupted'
    const hindrance = isTakenOver ? whyNotContinued(this.#grant, stored) : undefined
    if (hindrance !== undefined) throw interruptedTurn(this.#turn, hindrance)
    if (stored === undefined) await this.#askHooks()
    const agent = await this.#prepare()
    this.#agent = agent
    if (isTakenOver) this.#continue(agent)
    if (stored === undefined) this.#open(agent)
    const memory = await this.#memory()
    const end = await driveTurn(this.#describe(agent, memory, stored && this.#decide(stored)), this.#journal)
    return end.kind === 'paused' ? this.#pause(end) : this.#complete(end)
  }

  /** @throws ServiceError `state_unreadable` for a turn that a newer release has left */
  #load(): StoredTurnState | undefined {
    this.#stored = this.#grant.kind === 'started' ? undefined : readTurnState(this.#grant.turn)
    this.#state = this.#stored?.cycle
    this.#before = this.#state && { usage: this.#state.usage, cost: this.#state.cost }
    this.#spent = new CostTracker(this.#before)
    return this.#stored
  }

  /**
   * Continues the turn of a process that is gone, and retracts what that process showed but did not store.
   *
   * @throws ServiceError `turn_interrupted` if that is not safe
   */
  #continue(agent: PreparedAgent): void {
    const [unknown] = unknownCalls(this.#stored?.cycle, agent.toolbox)
    if (unknown !== undefined)
      throw interruptedTurn(
        this.#turn,
        `The process that ran the turn is gone, and the call ${unknown.id} of ${unknown.name} may have had its effect`,
      )
    const { turn, takeovers, lease } = this.#grant
    const to = this.#stored?.to ?? placeBefore(turn.firstEvent ?? eventId(lease.epoch, 1))
    this.#emit({ type: 'rollback', reason: 'taken_over', attempt: Math.max(takeovers, 1), to })
    this.#options.onContinue?.()
  }

  /** @throws ServiceError `hook_blocked` */
  async #askHooks(): Promise<void> {
    const { hooks } = this.#runtime
    if (!hooks.has('onTurnStart')) return
    const { blocked } = await hooks.execute({ event: 'onTurnStart', turnIndex: this.#turn - 1 })
    if (blocked !== undefined) throw new ServiceError('hook_blocked', blocked)
  }

  /** Prepares the current version of the agent: a paused turn continues with the newest one. */
  #prepare(): Promise<PreparedAgent> {
    return this.#runtime.agents.prepare(this.#agentId, {
      variables: readHead(this.#grant.record).variables,
      call: this.#call(),
      tools: this.#options.tools,
      digest: versionDigestOf(this.#grant.record, this.#grant.turn.context),
    })
  }

  /** @throws ServiceError `limit_exceeded` */
  #open(agent: PreparedAgent): void {
    this.#emit({
      type: 'turn.started',
      turn: this.#turn,
      agent: agent.id,
      agent_revision: agent.revision,
    })
    const { maxTurns } = agent.limits
    if (maxTurns !== undefined && this.#turn > maxTurns)
      throw new ServiceError(
        'limit_exceeded',
        `The session has reached its limit of ${maxTurns} turns: start a new one`,
      )
    if (this.#history.size > MAX_CONTEXT_CHARACTERS)
      throw new ServiceError(
        'limit_exceeded',
        `The context "${this.#grant.turn.context}" holds ${this.#history.size} characters: continue in another context`,
      )
    this.#say()
  }

  /** What the user said enters the history; it is written with what comes next. */
  #say(): void {
    this.#isSaid = true
    const { content } = readInput(this.#grant.turn)
    const message = userMessage(content, this.#agentId, this.#history.answeredBy)
    this.#add([{ id: newId(), turn: this.#turn, message }])
  }

  /** What the session remembers, as text. */
  #memory(): string | Promise<string> {
    const { memory } = this.#runtime
    if (memory === undefined) return formatSnapshot([...this.#grant.memory])
    return memory.read(this.#address).then((entries) => formatSnapshot([...entries]))
  }

  #describe(agent: PreparedAgent, memory: string, left: LeftTurn | undefined): Turn {
    const runtime = this.#runtime
    const { record } = this.#grant
    const { stream, limits } = readInput(this.#grant.turn)
    return {
      rules: agentRules(agent, runtime, { limits: joinLimits(agent.limits, limits) }),
      provider: runtime.model,
      model: agent.model,
      system: joinLayers(agent.system, memory),
      toolbox: agent.toolbox,
      streamed: stream,
      emit: (event) => this.#emit(event),
      spend: (usage, cost) => this.#spent.add(usage, cost),
      call: this.#call(),
      turn: this.#turn,
      // A session that was deleted and made again has other turns under the same numbers.
      scope: `${record.id}-${record.createdAt}-${this.#turn}`,
      history: this.#history.history,
      left,
    }
  }

  /** The session as clients know it: what others log, trace or hand to tools. */
  get #session(): string {
    return this.#runtime.name ?? shownId(this.#grant.record)
  }

  #call(): CallContext {
    const { requestId } = this.#options
    const traceparent = this.#span?.traceparent ?? this.#options.traceparent
    return Object.freeze({
      requestId,
      traceparent,
      signal: this.#signal,
      session: this.#session,
      assertHeld: () => this.#run.assertHeld(),
    })
  }

  /** What an earlier process has left, with what was decided; the time in which nobody worked does not count. */
  #decide({ cycle, pausedAt }: StoredTurnState): LeftTurn {
    const { approvals, idleMs: unattendedMs } = this.#grant
    for (const approval of ofTurn(approvals, this.#turn)) {
      const wire = toWireApproval(this.#address, approval)
      const isNews = cycle.pending.some(({ id, ask }) => ask === true && id === wire.call_id)
      if (isNews) this.#emit({ type: 'approval.resolved', approval: wire })
    }
    const idleMs = pausedAt === undefined ? unattendedMs : Math.max(0, this.#runtime.clock.now() - pausedAt)
    return { state: cycle, decisions: decisionsOf(approvals, this.#turn), idleMs }
  }

  /**
   * Calls are durable before any of them runs. Results need not be waited for: what is said to them is written after
   * or with them, and a lost lease ends the run.
   */
  async #write({ messages, state, summaryUpTo, isIntent }: JournalEntry): Promise<void> {
    // The outcome of calls that the shutdown aborted is unknown: the process that continues repeats them or reports it.
    if (this.#options.stop.aborted) return
    this.#state = state
    const base = summaryUpTo === undefined ? undefined : this.#history.indexOf(summaryUpTo)
    this.#add(messages)
    const append = this.#unwritten.map(jsonObject)
    this.#unwritten = []
    const change = { context: this.#grant.turn.context, append, ...(base !== undefined && { base }) }
    const written = { messages: [change], turn: { state: jsonObject(this.#toStored(state)) } }
    if (isIntent === true) await this.#commit(written)
    else this.#run.commitSoon(written)
  }

  #toStored(cycle: CycleState): StoredTurnState {
    const to = this.#run.mark() ?? this.#stored?.to
    const counted = this.#counted
    const stored: StoredTurnState = to === undefined ? { v: 1, cycle } : { v: 1, cycle, to }
    return counted === undefined ? stored : { ...stored, counted }
  }

  /** What the session's head has of the turn's usage: all up to its last pause. */
  get #counted(): TotalUsage | undefined {
    const { pausedAt, counted } = this.#stored ?? {}
    // A release before this one wrote none.
    return counted ?? (pausedAt === undefined ? undefined : this.#before)
  }

  #add(messages: readonly StoredMessage[]): void {
    const added = messages.map((message) => this.#signed(message))
    this.#history.add(added)
    this.#unwritten = [...this.#unwritten, ...added]
  }

  #signed(message: StoredMessage): SessionMessage {
    return message.message.role === 'assistant' ? { ...message, agent: this.#agentId } : message
  }

  async #complete(end: Extract<CycleEnd, { kind: 'completed' }>): Promise<TurnOutcome> {
    this.#add(end.messages)
    const result = toWireResult(this.#turn, end.result)
    await this.#close(undefined)
    await this.#commit({
      head: this.#head(),
      turn: { status: 'completed', result: jsonObject(result) },
      messages: [{ context: this.#grant.turn.context, append: this.#unwritten.map(jsonObject) }],
      events: [{ type: 'turn.completed', result }],
    })
    this.#settled('completed')
    return { kind: 'completed', result }
  }

  async #pause({ waiting, state }: Extract<CycleEnd, { kind: 'paused' }>): Promise<TurnOutcome> {
    const views = waiting.map((call) => newApproval({ ...this.#address, turn: this.#turn }, call))
    const approvals = views.map((view) => toWireApproval(this.#address, view))
    const events: readonly TurnEvent[] = [
      ...approvals.map((approval): TurnEvent => ({ type: 'approval.required', approval })),
      { type: 'paused', approvals },
    ]
    const stored: StoredTurnState = {
      v: 1,
      cycle: state,
      pausedAt: this.#runtime.clock.now(),
      to: placeAfter(this.#run.mark() ?? eventId(this.#grant.lease.epoch, 0), events.length),
      counted: this.#spent.total,
    }
    await this.#commit({
      head: this.#head(),
      turn: { status: 'paused', state: jsonObject(stored) },
      approvals: views,
      events,
    })
    this.#settled('paused')
    return { kind: 'paused', approvals }
  }

  async #fail(thrown: unknown): Promise<TurnOutcome> {
    const { signal } = this.#run
    if (signal.aborted && signal.reason instanceof ServiceError) return this.#lost(signal.reason)
    if (signal.aborted) return this.#end('cancelled')
    if (this.#options.stop.aborted && this.#mayBeGivenBack()) return this.#giveBack()
    const error = this.#options.stop.aborted ? this.#options.stop.reason : thrown
    if (!(error instanceof ServiceError)) this.#unexpected = error
    return this.#end(toServiceError(error))
  }

  /** Another process has the turn, or will have it. */
  #lost(reason: ServiceError): TurnOutcome {
    const why = 'This process has lost the turn'
    return { kind: 'failed', error: unknownOutcome(this.#turn, this.#runtime.leaseMs, why, reason) }
  }

  /** Whether another process can continue from what is stored. */
  #mayBeGivenBack(): boolean {
    const { store, continuesTurns = true } = this.#runtime
    if (!continuesTurns || store.status.kind === 'memory') return false
    // Before the agent is there nothing was done here: the next process decides by what it finds.
    return this.#agent === undefined || unknownCalls(this.#state, this.#agent.toolbox).length === 0
  }

  async #giveBack(): Promise<TurnOutcome> {
    await this.#commit({ release: true })
    const why = 'The service is shutting down, and another process continues the turn'
    return { kind: 'failed', error: unknownOutcome(this.#turn, this.#runtime.leaseMs, why) }
  }

  /** Closes what is open, and the turn, in one step. */
  async #end(cause: Cause): Promise<TurnOutcome> {
    if (!this.#isSaid && this.#grant.kind !== 'started') this.#say()
    const isCancelled = cause === 'cancelled'
    await this.#close(isCancelled ? undefined : cause)
    const events: TurnEvent[] = []
    const approvals = ofTurn(this.#grant.approvals, this.#turn)
      .filter(({ status }) => status === 'pending')
      .map((each) => ({ ...each, status: 'cancelled' as const }))
    for (const each of approvals)
      events.push({ type: 'approval.resolved', approval: toWireApproval(this.#address, each) })
    const error = isCancelled ? undefined : { code: cause.code, message: cause.message }
    const used = this.#used()
    events.push(
      error === undefined ? { type: 'turn.cancelled', ...used } : { type: 'turn.failed', error, ...used },
    )
    await this.#commit({
      head: this.#head(),
      turn: {
        status: isCancelled ? 'cancelled' : 'failed',
        result: jsonObject(error === undefined ? used : { error, ...used }),
      },
      messages: this.#sanitised(isCancelled ? 'cancelled' : 'interrupted', this.#state?.results ?? []),
      approvals,
      events,
    })
    this.#settled(isCancelled ? 'cancelled' : 'failed', error?.code)
    return isCancelled ? { kind: 'cancelled' } : { kind: 'failed', error: cause }
  }

  #settled(status: SettledTurn['status'], error?: string): void {
    this.#runtime.observer.settled?.({
      session: this.#session,
      turn: this.#turn,
      agent: this.#agentId,
      status,
      ...(error !== undefined && { error }),
      usage: toWireUsage(this.#spent.total.usage),
    })
  }

  /** A turn without an answer has cost something, too. */
  #used() {
    const { usage, cost } = this.#spent.total
    return { usage: toWireUsage(usage), ...(cost !== undefined && { cost }) }
  }

  /** What has to change in the stored messages so that the history is one a model accepts. */
  #sanitised(code: 'interrupted' | 'cancelled', results: readonly Message[]): readonly MessageChange[] {
    const { messages, from } = this.#history
    const written = messages.length - this.#unwritten.length
    const clean = sanitise(messages, { code, results, newId })
    const same = messages.findIndex((message, place) => clean[place] !== message)
    const keep = Math.min(same === -1 ? messages.length : same, written)
    const append = clean.slice(keep).map(jsonObject)
    return [{ context: this.#grant.turn.context, append, ...(keep < written && { keep: from + keep }) }]
  }

  /** Every started turn emits this event, however it ends. */
  async #close(error: ServiceError | undefined): Promise<void> {
    const { hooks } = this.#runtime
    if (!hooks.has('onTurnEnd')) return
    await hooks.execute({
      event: 'onTurnEnd',
      turnIndex: this.#turn - 1,
      ...(error !== undefined && { error }),
    })
  }

  async #commit(change: RunCommit<TurnEvent>): Promise<void> {
    const startedAt = performance.now()
    await this.#run.commit(change)
    this.#runtime.observer.committed((performance.now() - startedAt) / 1_000)
  }

  #emit(event: TurnEvent): void {
    this.#runtime.observer.event(this.#agentId, event)
    this.#run.emit(event)
  }

  #head() {
    return jsonObject(withUsage(readHead(this.#grant.record), usageSince(this.#spent.total, this.#counted)))
  }

  /** What this process has used for the turn. */
  get #usageHere(): TotalUsage {
    return usageSince(this.#spent.total, this.#before)
  }

  get #turn(): number {
    return this.#grant.turn.turn
  }

  get #address(): RecordAddress & { readonly kind: 'session' } {
    return { kind: 'session', id: this.#grant.record.id }
  }
}

/** A request narrows what the agent's document allows, and says what it leaves open. */
function joinLimits(document: Partial<Limits>, request: Partial<Limits>): Partial<Limits> {
  const joined: { -readonly [Name in keyof Limits]?: number } = { ...document }
  for (const name of LIMIT_NAMES) {
    const value = request[name]
    if (value !== undefined) joined[name] = Math.min(value, document[name] ?? value)
  }
  return joined
}

function toServiceError(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : new ServiceError('internal_error', 'Unexpected failure')
}

function endedBy(outcome: TurnOutcome): string {
  if (outcome.kind === 'completed') return outcome.result.ended_by
  return outcome.kind === 'failed' ? outcome.error.code : outcome.kind
}
