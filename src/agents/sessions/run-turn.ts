import { ServiceError } from '../../errors.js'
import type { Grant } from '../../state/contract/lease-state.js'
import type { StateEvent } from '../../state/logged-event.js'
import { shownId } from '../../state/record-name.js'
import type { Toolbox } from '../../tools/toolbox.js'
import type { CallContext } from '../../util/call-context.js'
import { Cancellation, type CancelSignal, whenAborted } from '../../util/cancellation.js'
import { ATTRIBUTE, OPERATION, SPAN } from '../../util/telemetry/span-names.js'
import type { Span } from '../../util/telemetry/tracer.js'
import { shiftedClock } from '../../util/time/clock.js'
import type { CycleEnd } from '../cycle/run-cycle.js'
import { agentRules, driveTurn, type LeftTurn, type Turn } from '../cycle/turn.js'
import { toWireUsage } from '../cycle/turn-event.js'
import { LIMIT_NAMES, type Limits, MAX_CONTEXT_CHARACTERS } from '../limits.js'
import type { PreparedAgent } from '../prepared-agent.js'
import { formatSnapshot, joinLayers } from '../system-prompt.js'
import { decisionsOf, ofTurn, toWireApproval } from './approvals.js'
import { unknownCalls, whyNotContinued } from './continuation.js'
import { agentOf, readHead, readInput, type StoredTurnState, versionDigestOf } from './session-record.js'
import type { SessionRuntime, SettledTurn } from './session-runtime.js'
import { interruptedTurn, unknownOutcome } from './turn-errors.js'
import { type EndCause, TurnJournal } from './turn-journal.js'
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
  cause: EndCause,
): Promise<TurnOutcome> {
  return new TurnRunner(runtime, grant, options).end(cause)
}

class TurnRunner {
  readonly #runtime: SessionRuntime
  readonly #grant: Grant
  readonly #options: TurnRunOptions
  readonly #journal: TurnJournal
  readonly #signal = new Cancellation()
  readonly #agentId: string
  readonly #startedAt: number
  readonly #onStop: () => void
  #agent: PreparedAgent | undefined
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
    this.#agentId = agentOf(grant.record, grant.turn.context)
    this.#startedAt = this.#runtime.clock.now()
    const { stop, onEvent } = options
    const agent = this.#agentId
    this.#journal = new TurnJournal({ runtime: this.#runtime, grant, agent, stop, onEvent })
    this.#onStop = () => this.#signal.abort(stop.reason)
    const { signal } = this.#journal
    whenAborted(signal, () => this.#signal.abort(signal.reason))
    whenAborted(stop, this.#onStop)
  }

  async run(): Promise<TurnOutcome> {
    this.#span = this.#startSpan()
    return this.#reported(() => this.#attempt().catch((error: unknown) => this.#fail(error)))
  }

  async end(cause: EndCause): Promise<TurnOutcome> {
    return this.#reported(async () => {
      this.#journal.load()
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
      this.#journal.close()
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
      usage: toWireUsage(this.#journal.usageHere.usage),
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
    const { inputTokens, outputTokens } = this.#journal.usageHere.usage
    this.#span?.set({
      [ATTRIBUTE.endedBy]: endedBy(outcome),
      [ATTRIBUTE.inputTokens]: inputTokens,
      [ATTRIBUTE.outputTokens]: outputTokens,
    })
    this.#span?.end(outcome.kind === 'failed' ? outcome.error.code : undefined)
  }

  async #attempt(): Promise<TurnOutcome> {
    if (this.#signal.aborted) throw this.#signal.reason
    const stored = this.#journal.load()
    const isTakenOver = this.#grant.kind === 'interrupted'
    const hindrance = isTakenOver ? whyNotContinued(this.#grant, stored) : undefined
    if (hindrance !== undefined) throw interruptedTurn(this.#turn, hindrance)
    if (stored === undefined) await this.#askHooks()
    const agent = await this.#prepare()
    this.#agent = agent
    if (isTakenOver) this.#continue(agent, stored)
    if (stored === undefined) this.#open(agent)
    const memory = await this.#memory()
    const end = await driveTurn(this.#describe(agent, memory, stored && this.#decide(stored)), this.#journal)
    return end.kind === 'paused' ? this.#pause(end) : this.#complete(end)
  }

  /**
   * Continues the turn of a process that is gone, and retracts what that process showed but did not store.
   *
   * @throws ServiceError `turn_interrupted` if that is not safe
   */
  #continue(agent: PreparedAgent, stored: StoredTurnState | undefined): void {
    const [unknown] = unknownCalls(stored?.cycle, agent.toolbox)
    if (unknown !== undefined)
      throw interruptedTurn(
        this.#turn,
        `The process that ran the turn is gone, and the call ${unknown.id} of ${unknown.name} may have had its effect`,
      )
    this.#journal.retract()
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
    this.#journal.emit({
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
    if (this.#journal.size > MAX_CONTEXT_CHARACTERS)
      throw new ServiceError(
        'limit_exceeded',
        `The context "${this.#grant.turn.context}" holds ${this.#journal.size} characters: continue in another context`,
      )
    this.#journal.say()
  }

  /** What the session remembers, as text. */
  #memory(): string | Promise<string> {
    const { memory } = this.#runtime
    if (memory === undefined) return formatSnapshot([...this.#grant.memory])
    return memory.read(this.#journal.address).then((entries) => formatSnapshot([...entries]))
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
      emit: (event) => this.#journal.emit(event),
      spend: (usage, cost) => this.#journal.spend(usage, cost),
      call: this.#call(),
      turn: this.#turn,
      // A session that was deleted and made again has other turns under the same numbers.
      scope: `${record.id}-${record.createdAt}-${this.#turn}`,
      history: this.#journal.history,
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
      assertHeld: () => this.#journal.assertHeld(),
    })
  }

  /** What an earlier process has left, with what was decided; the time in which nobody worked does not count. */
  #decide({ cycle, pausedAt }: StoredTurnState): LeftTurn {
    const { approvals, idleMs: unattendedMs } = this.#grant
    for (const approval of ofTurn(approvals, this.#turn)) {
      const wire = toWireApproval(this.#journal.address, approval)
      const isNews = cycle.pending.some(({ id, ask }) => ask === true && id === wire.call_id)
      if (isNews) this.#journal.emit({ type: 'approval.resolved', approval: wire })
    }
    const idleMs = pausedAt === undefined ? unattendedMs : Math.max(0, this.#runtime.clock.now() - pausedAt)
    return { state: cycle, decisions: decisionsOf(approvals, this.#turn), idleMs }
  }

  async #complete(end: Extract<CycleEnd, { kind: 'completed' }>): Promise<TurnOutcome> {
    await this.#close(undefined)
    const result = await this.#journal.complete(end)
    this.#settled('completed')
    return { kind: 'completed', result }
  }

  async #pause(end: Extract<CycleEnd, { kind: 'paused' }>): Promise<TurnOutcome> {
    const approvals = await this.#journal.pause(end)
    this.#settled('paused')
    return { kind: 'paused', approvals }
  }

  async #fail(thrown: unknown): Promise<TurnOutcome> {
    const { signal } = this.#journal
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
    return this.#agent === undefined || unknownCalls(this.#journal.state, this.#agent.toolbox).length === 0
  }

  async #giveBack(): Promise<TurnOutcome> {
    await this.#journal.release()
    const why = 'The service is shutting down, and another process continues the turn'
    return { kind: 'failed', error: unknownOutcome(this.#turn, this.#runtime.leaseMs, why) }
  }

  async #end(cause: EndCause): Promise<TurnOutcome> {
    const isCancelled = cause === 'cancelled'
    await this.#close(isCancelled ? undefined : cause)
    await this.#journal.end(cause)
    this.#settled(isCancelled ? 'cancelled' : 'failed', isCancelled ? undefined : cause.code)
    return isCancelled ? { kind: 'cancelled' } : { kind: 'failed', error: cause }
  }

  #settled(status: SettledTurn['status'], error?: string): void {
    this.#runtime.observer.settled?.({
      session: this.#session,
      turn: this.#turn,
      agent: this.#agentId,
      status,
      ...(error !== undefined && { error }),
      usage: toWireUsage(this.#journal.usage.usage),
    })
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

  get #turn(): number {
    return this.#grant.turn.turn
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
