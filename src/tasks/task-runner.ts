import type { WireApproval } from '../agents/cycle/turn-event.js'
import { toEventError } from '../agents/cycle/turn-event.js'
import { decisionsByApproval, newApproval, toWireApproval } from '../agents/sessions/approvals.js'
import { ServiceError } from '../errors.js'
import type { ApprovalView } from '../state/contract/approval-state.js'
import type { Grant } from '../state/contract/lease-state.js'
import type { RecordAddress } from '../state/contract/record-state.js'
import { CancelRequested, LeasedRun, type RunCommit } from '../state/leased-run.js'
import { Cancellation, type CancelSignal, whenAborted } from '../util/cancellation.js'
import { jsonObject } from '../util/json/json-fields.js'
import { newId } from '../util/new-id.js'
import { ATTRIBUTE, SPAN } from '../util/telemetry/span-names.js'
import type { Span } from '../util/telemetry/tracer.js'
import { shiftedClock } from '../util/time/clock.js'
import { type Checkpoint, newCheckpoint, readCheckpoint } from './checkpoint.js'
import { countDeath, givenUp } from './count-deaths.js'
import { EngineCloses, RequeueError } from './engine/task-engine.js'
import { type AskedCall, TASK_TURN } from './execute-plan.js'
import { ENDINGS, type TaskEndedBy } from './next-phase.js'
import type { StepError } from './plan.js'
import { runTask } from './run-task.js'
import { readRecords, type StepRecord } from './step-record.js'
import {
  pinnedDocuments,
  readTaskHead,
  readTaskInput,
  type TaskHead,
  type TaskInput,
  toTaskRequest,
} from './stored-task.js'
import { endTask } from './task-ending.js'
import type { TaskEvent } from './task-event.js'
import { TaskProgress } from './task-progress.js'
import type { TaskRuntime } from './task-runtime.js'
import type { TaskAgentSetup, TaskJournal, TaskJournalEntry, TaskSetup } from './task-setup.js'

/** The time of the task is over. */
class TaskTimeout extends Error {
  override readonly name = 'TaskTimeout'
}

/** The process is about to end: the task stops where everything is durable. */
class Stopping extends Error {
  override readonly name = 'Stopping'
}

/** How long a task waits in the queue while the store is unreachable, in milliseconds. */
const AWAY_MS = 1_000

/**
 * Takes the lease of a task and works on it until it ends, waits for approvals, or the process is about to end.
 *
 * @throws RequeueError when somebody else has the lease, or it is lost
 */
export async function runStoredTask(runtime: TaskRuntime, id: string, stopping: CancelSignal): Promise<void> {
  const grant = await take(runtime, id)
  if (grant !== undefined) await new TaskRun(runtime, grant, stopping).run()
}

/** @returns undefined when there is nothing to do: the task is over or gone */
async function take({ store, leaseMs }: TaskRuntime, id: string): Promise<Grant | undefined> {
  const address: RecordAddress = { kind: 'task', id }
  try {
    const begun = await store.begin({ address, by: newId(), purpose: 'resume' })
    return begun.kind === 'repeated' ? undefined : begun
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : undefined
    if (code === 'task_ended' || code === 'task_not_found') return undefined
    if (code === 'task_busy') throw new RequeueError(leaseMs / 4, { cause: error })
    if (code === 'state_unavailable') throw new RequeueError(AWAY_MS, { cause: error })
    throw error
  }
}

class TaskRun {
  readonly #runtime: TaskRuntime
  readonly #grant: Grant
  readonly #stopping: CancelSignal
  readonly #leased: LeasedRun
  readonly #input: TaskInput
  readonly #head: TaskHead
  readonly #end = new Cancellation()
  readonly #progress: TaskProgress
  readonly #journal: TaskJournal = { write: (entry) => this.#journalise(entry) }
  readonly #onStopping = () => this.#stopWithin()
  #timer: NodeJS.Timeout | undefined
  #deadline: NodeJS.Timeout | undefined
  #span: Span | undefined

  constructor(runtime: TaskRuntime, grant: Grant, stopping: CancelSignal) {
    const { store, clock } = runtime
    // All processes that work on a task go by the time of its store.
    const storeClock = shiftedClock(clock, grant.at - clock.now())
    this.#runtime = storeClock === clock ? runtime : { ...runtime, clock: storeClock }
    this.#grant = grant
    this.#stopping = stopping
    this.#input = readTaskInput(grant.turn.input)
    this.#head = readTaskHead(grant.record.head)
    this.#leased = new LeasedRun({
      store,
      lease: grant.lease,
      clock,
      cancelRequested: grant.record.cancelRequested,
      observer: runtime.leases,
    })
    this.#progress = new TaskProgress(this.#journal, {
      checkpoint: resumed(grant, grant.at),
      records: readRecords(grant.entries),
      decisions: decisionsByApproval(grant.approvals),
    })
  }

  async run(): Promise<void> {
    if (this.#isStillWaiting()) return this.#hasWaitedTooLong() ? this.#expire() : this.#giveBack('waiting')
    this.#listen()
    this.#span = this.#startSpan()
    try {
      if (this.#grant.kind === 'interrupted' && (await this.#isGivenUp())) return
      await this.#tellDecisions()
      const stop = await runTask(await this.#setup(), this.#progress, () => this.#mayGoOn())
      if (stop.kind === 'ended') await this.#finish(stop.endedBy)
      else await this.#wait(stop.asked)
    } catch (error) {
      await this.#fail(this.#end.aborted ? this.#end.reason : error)
    } finally {
      clearTimeout(this.#timer)
      clearTimeout(this.#deadline)
      this.#stopping.removeEventListener('abort', this.#onStopping)
      this.#leased.close()
      this.#span?.end()
    }
  }

  /** Counts the process that died before anything else can end this one, too; a task that ends every process ends. */
  async #isGivenUp(): Promise<boolean> {
    const { config } = this.#input
    const { lease } = this.#grant
    await this.#progress.write((checkpoint) => countDeath(checkpoint, this.#progress.records, config))
    const { checkpoint } = this.#progress
    this.#runtime.leases?.takenOver(lease, checkpoint.deaths?.times ?? 1)
    const message = givenUp(checkpoint, config)
    if (message === undefined) return false
    await this.#finish('error', { code: 'interrupted', message })
    return true
  }

  /** A task runs when its turn comes, perhaps in another process than it was asked for in: it is a trace of its own. */
  #startSpan(): Span | undefined {
    return this.#runtime.tracer?.start(SPAN.task, 'internal', undefined, {
      [ATTRIBUTE.task]: this.#grant.record.id,
      [ATTRIBUTE.agentName]: this.#input.agent,
    })
  }

  /** Somebody asked too early. */
  #isStillWaiting(): boolean {
    const { approvals, record } = this.#grant
    return !record.cancelRequested && approvals.some(({ status }) => status === 'pending')
  }

  #hasWaitedTooLong(): boolean {
    const { turn, at } = this.#grant
    return hasWaitedTooLong(turn.state, at, this.#runtime.waitLimitMs)
  }

  async #expire(): Promise<void> {
    try {
      await this.#finish('unanswered')
    } finally {
      this.#leased.close()
    }
  }

  #listen(): void {
    const { signal } = this.#leased
    whenAborted(signal, () => this.#end.abort(signal.reason))
    const { startedAt } = this.#progress.checkpoint
    const limitMs = this.#input.config.taskTimeoutSecs * 1_000
    const leftMs = Math.max(0, startedAt + limitMs - this.#runtime.clock.now())
    this.#timer = setTimeout(() => this.#end.abort(new TaskTimeout('The time of the task is over')), leftMs)
    whenAborted(this.#stopping, this.#onStopping)
  }

  /** What cannot become durable in time is released as it is: the process that continues sees that it was running. */
  #stopWithin(): void {
    const { reason } = this.#stopping
    if (!(reason instanceof EngineCloses)) return
    this.#deadline = setTimeout(() => this.#end.abort(new Stopping(reason.message)), reason.withinMs)
  }

  #mayGoOn(): void {
    if (this.#stopping.aborted) throw new Stopping('The service is shutting down')
  }

  async #setup(): Promise<TaskSetup> {
    const { model, prompts, hooks, clock, toolTimeoutMs, tracer } = this.#runtime
    const { id } = this.#grant.record
    const traceparent = this.#span?.traceparent
    const assertHeld = () => this.#leased.assertHeld()
    const call = Object.freeze({ requestId: id, traceparent, signal: this.#end, session: id, assertHeld })
    return {
      task: id,
      request: toTaskRequest(this.#input),
      agent: await this.#agent(call),
      model,
      prompts: prompts(pinnedDocuments(this.#input), call),
      journal: this.#journal,
      emit: (event) => this.#emit(event),
      hooks,
      call,
      clock,
      toolTimeoutMs,
      tracer,
    }
  }

  #agent(call: TaskSetup['call']): Promise<TaskAgentSetup> | TaskAgentSetup {
    const { agent, metadata, pinned } = this.#input
    if (agent === undefined) return this.#runtime.defaultAgent()
    return this.#runtime.agents.prepare(agent, { variables: metadata, call, pinned })
  }

  #emit(event: TaskEvent): void {
    this.#runtime.observer.event(this.#grant.record.id, event)
    this.#leased.emit(event)
  }

  async #journalise({ checkpoint, records, events, isSoon }: TaskJournalEntry): Promise<void> {
    const commit = this.#toCommit(checkpoint, records, events)
    if (isSoon === true) this.#leased.commitSoon(commit)
    else await this.#leased.commit(commit)
  }

  #write(
    checkpoint: Checkpoint,
    records?: ReadonlyMap<string, StepRecord>,
    events?: readonly TaskEvent[],
    more?: RunCommit,
  ): Promise<void> {
    return this.#leased.commit(this.#toCommit(checkpoint, records, events, more))
  }

  #toCommit(
    checkpoint: Checkpoint,
    records?: ReadonlyMap<string, StepRecord>,
    events: readonly TaskEvent[] = [],
    more: RunCommit = {},
  ): RunCommit {
    for (const event of events) this.#runtime.observer.event(this.#grant.record.id, event)
    const commit = { ...more, turn: { ...more.turn, state: checkpoint }, events }
    if (records === undefined) return commit
    return { ...commit, entries: new Map([...records].map(([key, record]) => [key, jsonObject(record)])) }
  }

  /** Publishes decisions that were made while no process ran the task. */
  async #tellDecisions(): Promise<void> {
    const { approvals, turn, record } = this.#grant
    if (turn.state === undefined || this.#head.status !== 'waiting') return
    const waiting = new Set(
      [...this.#progress.records.values()].flatMap((each) => each.waiting ?? []).map((each) => each.id),
    )
    const events = approvals
      .filter(({ id, status }) => waiting.has(id) && status !== 'pending')
      .map((view) => ({ type: 'approval.resolved', approval: this.#toWire(view) }) as const)
    const head: TaskHead = { ...readTaskHead(record.head), status: 'running' }
    await this.#write(this.#progress.checkpoint, undefined, events, { head })
  }

  async #wait(asked: readonly AskedCall[]): Promise<void> {
    const owner = { kind: 'task', id: this.#grant.record.id, turn: TASK_TURN } as const
    const views = asked.map(({ call }) => newApproval(owner, call))
    const approvals = views.map((view) => this.#toWire(view))
    await this.#giveBack('waiting', views, [
      ...approvals.map((approval) => ({ type: 'approval.required', approval }) as const),
      { type: 'paused', approvals },
    ])
  }

  /** Ends the lease and leaves the task open. */
  #giveBack(
    status: 'waiting' | 'queued',
    approvals: readonly ApprovalView[] = [],
    events: readonly TaskEvent[] = [],
  ): Promise<void> {
    const { checkpoint } = this.#progress
    const pausedAt = checkpoint.pausedAt ?? this.#runtime.clock.now()
    return this.#write(status === 'waiting' ? { ...checkpoint, pausedAt } : checkpoint, undefined, events, {
      head: { ...this.#head, status },
      turn: { status: 'paused' },
      ...(approvals.length > 0 && { approvals }),
    })
  }

  async #fail(reason: unknown): Promise<void> {
    const { observer, leaseMs } = this.#runtime
    if (reason instanceof ServiceError && reason.code === 'turn_interrupted')
      throw new RequeueError(leaseMs / 4, { cause: reason })
    if (reason instanceof Stopping) {
      await this.#giveBack('queued')
      throw new RequeueError(0, { cause: reason })
    }
    if (reason instanceof CancelRequested) return this.#finish('cancelled')
    if (reason instanceof TaskTimeout) return this.#finish('timeout')
    if (!(reason instanceof ServiceError)) observer.failed(this.#grant.record.id, reason)
    return this.#finish('error', toEventError(reason))
  }

  async #finish(endedBy: TaskEndedBy, cause?: StepError): Promise<void> {
    const { clock, observer } = this.#runtime
    const { approvals, record } = this.#grant
    const { status } = ENDINGS[endedBy]
    const { checkpoint } = this.#progress
    const { result, error, settled, event } = endTask(this.#progress, endedBy, cause)
    const open = approvals.filter((each) => each.status === 'pending')
    const unanswered = endedBy === 'unanswered' ? 'expired' : 'cancelled'
    await this.#write(checkpoint, settled, [event], {
      head: { ...this.#head, status, endedBy },
      turn: { status, result: { result, ...(error !== undefined && { error }) } },
      ...(open.length > 0 && { approvals: open.map((each) => ({ ...each, status: unanswered })) }),
    })
    observer.ended(record.id, result, clock.now() - checkpoint.startedAt)
    this.#endSpan(endedBy, error)
  }

  #endSpan(endedBy: TaskEndedBy, error: StepError | undefined): void {
    this.#span?.set({ [ATTRIBUTE.endedBy]: endedBy })
    this.#span?.end(error?.code)
  }

  #toWire(view: ApprovalView): WireApproval {
    return toWireApproval({ kind: 'task', id: this.#grant.record.id }, view)
  }
}

/** Whether the approvals of a task have been pending for longer than it waits. @throws ServiceError `state_unreadable` */
export function hasWaitedTooLong(
  state: Grant['turn']['state'],
  now: number,
  limitMs = Number.POSITIVE_INFINITY,
): boolean {
  const pausedAt = readCheckpoint(state)?.pausedAt
  return pausedAt !== undefined && now - pausedAt > limitMs
}

/** Time spent waiting for people does not count. @throws ServiceError `state_unreadable` */
function resumed({ turn }: Grant, now: number): Checkpoint {
  const { pausedAt, ...checkpoint } = readCheckpoint(turn.state) ?? newCheckpoint(now)
  return pausedAt === undefined
    ? checkpoint
    : { ...checkpoint, startedAt: checkpoint.startedAt + now - pausedAt }
}
