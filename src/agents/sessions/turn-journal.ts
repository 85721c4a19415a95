import type { History, StoredMessage } from '../../conversation/history.js'
import type { Message } from '../../conversation/message.js'
import type { ServiceError } from '../../errors.js'
import type { Usage } from '../../llm/model.js'
import { CostTracker, type TotalUsage, usageSince } from '../../llm/usage.js'
import type { Grant, MessageChange } from '../../state/contract/lease-state.js'
import type { RecordAddress } from '../../state/contract/record-state.js'
import { LeasedRun, type RunCommit } from '../../state/leased-run.js'
import { eventId, placeAfter, placeBefore, type StateEvent } from '../../state/logged-event.js'
import type { CancelSignal } from '../../util/cancellation.js'
import { newId } from '../../util/new-id.js'
import type { CycleJournal, JournalEntry } from '../cycle/cycle-setup.js'
import type { CycleState } from '../cycle/cycle-state.js'
import type { CycleEnd } from '../cycle/run-cycle.js'
import {
  gatherDeltas,
  type TurnEvent,
  toWireResult,
  toWireUsage,
  type WireApproval,
  type WireTurnResult,
} from '../cycle/turn-event.js'
import { userMessage } from '../system-prompt.js'
import { newApproval, ofTurn, toWireApproval } from './approvals.js'
import { sanitise } from './sanitise.js'
import {
  readHead,
  readInput,
  readTurnState,
  type SessionMessage,
  StoredHistory,
  type StoredTurnState,
  withUsage,
} from './session-record.js'
import type { SessionRuntime } from './session-runtime.js'

/** What a turn's journal writes with, and for whom. */
export interface TurnJournalOptions {
  readonly runtime: Pick<SessionRuntime, 'store' | 'clock' | 'leases' | 'observer'>
  readonly grant: Grant
  /** Who answers. */
  readonly agent: string
  /** Nothing of the loop is written once it aborts: the outcome of calls that it ends is unknown. */
  readonly stop: CancelSignal
  /** Called for every event with the id it is stored under. */
  readonly onEvent?: ((event: StateEvent) => void) | undefined
}

/** Why a turn ends without an answer. */
export type EndCause = 'cancelled' | ServiceError

/**
 * What one turn of a session leaves in its store, written under the lease of the process that runs it: messages, the state
 * of its loop, what it used, events and approvals. What belongs together is one commit.
 */
export class TurnJournal implements CycleJournal {
  readonly #options: TurnJournalOptions
  readonly #run: LeasedRun<TurnEvent>
  readonly #history: StoredHistory
  /** Of the turn, whichever processes ran it. */
  #spent = new CostTracker()
  /** Of it what was used before this process had it. */
  #before: TotalUsage | undefined
  /** What an earlier process has left. */
  #stored: StoredTurnState | undefined
  #state: CycleState | undefined
  /** In the history and not yet written. */
  #unwritten: readonly SessionMessage[] = []
  /** Whether what the user said is in the history. */
  #isSaid: boolean

  constructor(options: TurnJournalOptions) {
    const { runtime, grant, onEvent } = options
    this.#options = options
    this.#history = new StoredHistory(grant.messages)
    this.#isSaid = grant.turn.state !== undefined
    this.#run = new LeasedRun({
      store: runtime.store,
      lease: grant.lease,
      clock: runtime.clock,
      gather: gatherDeltas,
      cancelRequested: grant.record.cancelRequested,
      onEvent,
      observer: runtime.leases,
    })
  }

  /** Aborts as that of a `LeasedRun`. */
  get signal(): CancelSignal {
    return this.#run.signal
  }

  /** As the loop sees it. */
  get history(): History {
    return this.#history.history
  }

  /** About how many characters of it a model has to be shown. */
  get size(): number {
    return this.#history.size
  }

  /** Of the loop, as far as it was written here or left by another one. */
  get state(): CycleState | undefined {
    return this.#state
  }

  /** What the whole turn has used so far. */
  get usage(): TotalUsage {
    return this.#spent.total
  }

  /** Of it what this process has used. */
  get usageHere(): TotalUsage {
    return usageSince(this.#spent.total, this.#before)
  }

  /**
   * Reads what an earlier process has left of the turn; undefined for a new one.
   *
   * @throws ServiceError `state_unreadable` for a turn that a newer release has left
   */
  load(): StoredTurnState | undefined {
    const { grant } = this.#options
    this.#stored = grant.kind === 'started' ? undefined : readTurnState(grant.turn)
    this.#state = this.#stored?.cycle
    this.#before = this.#state && { usage: this.#state.usage, cost: this.#state.cost }
    this.#spent = new CostTracker(this.#before)
    return this.#stored
  }

  /** As `LeasedRun.assertHeld`. */
  assertHeld(): Promise<void> | undefined {
    return this.#run.assertHeld()
  }

  /** Stops without a word, as a `LeasedRun` does. */
  close(): void {
    this.#run.close()
  }

  emit(event: TurnEvent): void {
    this.#options.runtime.observer.event(this.#options.agent, event)
    this.#run.emit(event)
  }

  spend(usage: Usage | undefined, cost: number | undefined): void {
    this.#spent.add(usage, cost)
  }

  /** Retracts what a process that is gone has shown and not stored. */
  retract(): void {
    const { turn, takeovers, lease } = this.#options.grant
    const to = this.#stored?.to ?? placeBefore(turn.firstEvent ?? eventId(lease.epoch, 1))
    this.emit({ type: 'rollback', reason: 'taken_over', attempt: Math.max(takeovers, 1), to })
  }

  /** What the user said enters the history; it is written with what comes next. */
  say(): void {
    this.#isSaid = true
    const { content } = readInput(this.#options.grant.turn)
    const message = userMessage(content, this.#options.agent, this.#history.answeredBy)
    this.#add([{ id: newId(), turn: this.#turn, message }])
  }

  /**
   * Calls are durable before any of them runs. Results need not be waited for: what is said to them is written after
   * or with them, and a lost lease ends the run.
   */
  async write({ messages, state, summaryUpTo, isIntent }: JournalEntry): Promise<void> {
    // The outcome of calls that the shutdown aborted is unknown: the process that continues repeats them or reports it.
    if (this.#options.stop.aborted) return
    this.#state = state
    const base = summaryUpTo === undefined ? undefined : this.#history.indexOf(summaryUpTo)
    this.#add(messages)
    const append = this.#unwritten
    this.#unwritten = []
    const change = { context: this.#context, append, ...(base !== undefined && { base }) }
    const written = { messages: [change], turn: { state: this.#toStored(state) } }
    if (isIntent === true) await this.#commit(written)
    else this.#run.commitSoon(written)
  }

  continues(state: CycleState): void {
    this.#state = state
  }

  /** The turn has its answer. */
  async complete(end: Extract<CycleEnd, { kind: 'completed' }>): Promise<WireTurnResult> {
    this.#add(end.messages)
    const result = toWireResult(this.#turn, end.result)
    await this.#commit({
      head: this.#head(),
      turn: { status: 'completed', result },
      messages: [{ context: this.#context, append: this.#unwritten }],
      events: [{ type: 'turn.completed', result }],
    })
    return result
  }

  /** The turn waits for people. */
  async pause({ waiting, state }: Extract<CycleEnd, { kind: 'paused' }>): Promise<readonly WireApproval[]> {
    const { runtime, grant } = this.#options
    const views = waiting.map((call) => newApproval({ ...this.address, turn: this.#turn }, call))
    const approvals = views.map((view) => toWireApproval(this.address, view))
    const events: readonly TurnEvent[] = [
      ...approvals.map((approval): TurnEvent => ({ type: 'approval.required', approval })),
      { type: 'paused', approvals },
    ]
    const stored: StoredTurnState = {
      v: 1,
      cycle: state,
      pausedAt: runtime.clock.now(),
      to: placeAfter(this.#run.mark() ?? eventId(grant.lease.epoch, 0), events.length),
      counted: this.#spent.total,
    }
    await this.#commit({
      head: this.#head(),
      turn: { status: 'paused', state: stored },
      approvals: views,
      events,
    })
    return approvals
  }

  /** The turn is over without an answer: closes what is open, and the turn, in one step. */
  async end(cause: EndCause): Promise<void> {
    const { grant } = this.#options
    if (!this.#isSaid && grant.kind !== 'started') this.say()
    const isCancelled = cause === 'cancelled'
    const events: TurnEvent[] = []
    const approvals = ofTurn(grant.approvals, this.#turn)
      .filter(({ status }) => status === 'pending')
      .map((each) => ({ ...each, status: 'cancelled' as const }))
    for (const each of approvals)
      events.push({ type: 'approval.resolved', approval: toWireApproval(this.address, each) })
    const error = isCancelled ? undefined : { code: cause.code, message: cause.message }
    const used = this.#used()
    events.push(
      error === undefined ? { type: 'turn.cancelled', ...used } : { type: 'turn.failed', error, ...used },
    )
    await this.#commit({
      head: this.#head(),
      turn: {
        status: isCancelled ? 'cancelled' : 'failed',
        result: error === undefined ? used : { error, ...used },
      },
      messages: this.#sanitised(isCancelled ? 'cancelled' : 'interrupted', this.#state?.results ?? []),
      approvals,
      events,
    })
  }

  /** Gives the open turn to whichever process takes it next. */
  release(): Promise<void> {
    return this.#commit({ release: true })
  }

  get address(): RecordAddress & { readonly kind: 'session' } {
    return { kind: 'session', id: this.#options.grant.record.id }
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
    return message.message.role === 'assistant' ? { ...message, agent: this.#options.agent } : message
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
    const append = clean.slice(keep)
    return [{ context: this.#context, append, ...(keep < written && { keep: from + keep }) }]
  }

  #head() {
    return withUsage(readHead(this.#options.grant.record), usageSince(this.#spent.total, this.#counted))
  }

  async #commit(change: RunCommit<TurnEvent>): Promise<void> {
    const { clock, observer } = this.#options.runtime
    const startedAt = clock.elapsed()
    await this.#run.commit(change)
    observer.committed((clock.elapsed() - startedAt) / 1_000)
  }

  get #context(): string {
    return this.#options.grant.turn.context
  }

  get #turn(): number {
    return this.#options.grant.turn.turn
  }
}
