import { randomUUID } from 'node:crypto'
import type { WireApproval } from '../agents/cycle/turn-event.js'
import type { PinnedAgent } from '../agents/prepared-agent.js'
import type { ApprovalAnswer } from '../agents/sessions/approvals.js'
import { Runs } from '../agents/sessions/runs.js'
import { ServiceError } from '../errors.js'
import { describeVerdict } from '../schema/json-schema.js'
import type { RecordAddress, RecordView } from '../state/contract/record-state.js'
import type { TurnView } from '../state/contract/turn-state.js'
import type { EventId, FollowedItem, StateEvent } from '../state/logged-event.js'
import type { Toolbox } from '../tools/toolbox.js'
import type { CallContext } from '../util/call-context.js'
import { Cancellation } from '../util/cancellation.js'
import { isJsonObject, type JsonObject, stringifyJson } from '../util/json/json.js'
import { checkPlan } from './check-plan.js'
import { TASK_TURN } from './execute-plan.js'
import { checkPlanShape, readPlan } from './parse-plan.js'
import { readTaskInput, statusOf, type TaskInput, type TaskStatus } from './stored-task.js'
import { DEFAULT_TASK_CONFIG, type TaskConfig } from './task-config.js'
import { isTerminalTaskEvent } from './task-event.js'
import { hasWaitedTooLong, runStoredTask } from './task-runner.js'
import type { TaskRuntime } from './task-runtime.js'
import type { TaskAgentSetup } from './task-setup.js'
import { toWireSummary, toWireTask, type WireTask, type WireTaskSummary } from './wire-task.js'

/** What somebody wants to be done. */
export interface NewTask extends Pick<TaskInput, 'description' | 'metadata' | 'domainKnowledge'> {
  readonly owner: string
  /** Default: a random one. */
  readonly id?: string | undefined
  readonly agent?: string | undefined
  readonly plan?: JsonObject | undefined
  readonly config: Partial<TaskConfig>
  readonly idempotency?: { readonly key: string; readonly bodyHash: string } | undefined
}

/** How often lost tasks are looked for, in milliseconds. */
const SWEEP_EVERY_MS = 30_000
const SWEEP_LIMIT = 100

/** Tasks of all owners: made, followed, ended. Those that run here are run by the engine. */
export class Tasks {
  readonly #runtime: TaskRuntime
  readonly #runs: Runs
  readonly #never = new Cancellation()
  #sweep: NodeJS.Timeout | undefined

  constructor(runtime: TaskRuntime) {
    this.#runtime = runtime
    this.#runs = new Runs({
      kind: 'task',
      store: runtime.store,
      toolboxOf: (address, _turn, call) => this.#toolboxOf(address, call),
      decided: (decision) => runtime.observer.decided(decision),
      proceed: async (address) => this.#requeue(await runtime.store.read(address)),
      end: async ({ id }) => {
        await runStoredTask(runtime, id, this.#never).catch(() => {})
        return false
      },
      lastEvent,
      isLast: isTerminalTaskEvent,
    })
  }

  /** Whether tasks are kept where other processes find them. */
  get durable(): boolean {
    return this.#runtime.store.status.kind !== 'memory'
  }

  /** Runs tasks from now on, and looks for lost ones; where the engine has no room for any, it does neither. */
  start(sweepEveryMs = SWEEP_EVERY_MS): void {
    const { engine } = this.#runtime
    if (engine.status.concurrency === 0) return
    engine.start((task, stopping) => runStoredTask(this.#runtime, task, stopping))
    this.#sweep = setInterval(() => void this.sweep(sweepEveryMs).catch(() => {}), sweepEveryMs).unref()
  }

  /**
   * Queues a task. With an idempotency key every process makes the same task, or finds it made.
   *
   * @throws ServiceError `invalid_plan`, `already_exists`, `idempotency_conflict`, and as agents are prepared
   */
  async create(task: NewTask, call: CallContext): Promise<{ readonly id: string }> {
    const { engine } = this.#runtime
    const input = await this.#toInput(task, call)
    const { owner, idempotency, description, agent } = task
    const record = await this.#runs.create({
      id: task.id ?? randomUUID(),
      owner,
      idempotency,
      head: { description, ...(agent !== undefined && { agent }), status: 'queued' },
      input,
    })
    const { id } = record
    if (record.status === 'queued') await engine.enqueue(id, record.epoch)
    return { id }
  }

  /** @throws ServiceError `task_not_found` */
  async read(address: RecordAddress): Promise<WireTask> {
    const { store } = this.#runtime
    const [record, turn, entries] = await Promise.all([
      store.read(address),
      this.#turn(address),
      store.entries.read(address),
    ])
    // It ended between the two looks: the record says so by now.
    const isStale = turn.endedAt !== undefined && record.status !== 'idle'
    return toWireTask(isStale ? await store.read(address) : record, turn, entries)
  }

  async list(
    owner: string,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  ) {
    const page = await this.#runtime.store.list({ kind: 'task', owner, limit, cursor })
    const items: readonly WireTaskSummary[] = page.records.map(toWireSummary)
    const { total, nextCursor } = page
    return { items, total, ...(nextCursor !== undefined && { next_cursor: nextCursor }) }
  }

  /** Ends a task, wherever it runs; one that has ended stays as it is. */
  async cancel(address: RecordAddress): Promise<{ readonly id: string; readonly status: TaskStatus }> {
    const { store } = this.#runtime
    await this.#runs.cancel(address, TASK_TURN)
    const record = await store.read(address)
    return {
      id: address.id,
      status: record.cancelRequested && record.status !== 'idle' ? 'cancelled' : statusOf(record),
    }
  }

  /** Forgets a task that has ended, with everything of it. @throws ServiceError `task_busy` while it has not */
  remove(address: RecordAddress): Promise<void> {
    return this.#runtime.store.remove(address)
  }

  /** Sees that an open task is in the queue. @throws ServiceError `task_ended` */
  async resume(address: RecordAddress): Promise<{ readonly id: string; readonly status: TaskStatus }> {
    const record = await this.#runtime.store.read(address)
    if (record.status === 'idle') throw new ServiceError('task_ended', `The task ${address.id} has ended`)
    await this.#requeue(record)
    return { id: address.id, status: statusOf(record) }
  }

  /**
   * A task's events, wherever it runs, from the first or after one, to the last.
   *
   * @throws ServiceError `task_not_found`
   */
  async follow(
    address: RecordAddress,
    after: EventId | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<FollowedItem>> {
    return this.#runs.follow(address, await this.#turn(address), after, signal)
  }

  /** The approvals of a task, with every status. */
  approvals(address: RecordAddress): Promise<readonly WireApproval[]> {
    return this.#runs.approvals(address)
  }

  /** The approvals of all of the owner's tasks that nobody answered yet. */
  pending(owner: string): Promise<readonly WireApproval[]> {
    return this.#runs.pending(owner)
  }

  /**
   * Answers an approval. With the last answer the task is queued again.
   *
   * @throws ServiceError `approval_not_found`, `approval_conflict`, `invalid_request` for an edit the tool does not take
   */
  decide(owner: string, approval: string, answer: ApprovalAnswer, call: CallContext): Promise<WireApproval> {
    return this.#runs.decide(owner, approval, answer, call)
  }

  /** Queues open tasks that nobody seems to have in hand; each is looked at by one of them in `againMs`. */
  async sweep(againMs: number): Promise<void> {
    const { store } = this.#runtime
    for (const id of await store.openTasks.due(SWEEP_LIMIT, againMs)) {
      const record = await store.read({ kind: 'task', id }).catch(() => undefined)
      if (record !== undefined && record.status !== 'running') await this.#requeue(record)
    }
  }

  /** Starts no more tasks; running ones continue. */
  stop(): void {
    clearInterval(this.#sweep)
    this.#runtime.engine.stop()
  }

  /** Stops running tasks where they are durable, at the deadline as they are; another process continues them. */
  async close(deadlineMs: number): Promise<void> {
    clearInterval(this.#sweep)
    await this.#runtime.engine.close(deadlineMs)
  }

  /** A task that waits for people is nobody's job. */
  async #requeue(record: RecordView): Promise<void> {
    const { store, engine } = this.#runtime
    const { id, status, epoch } = record
    if (status === 'idle') return
    if (status === 'paused') {
      const approvals = await store.approvals.list({ kind: 'task', id })
      if (approvals.some((each) => each.status === 'pending') && !(await this.#isOverdue(record))) return
    }
    await engine.enqueue(id, epoch)
  }

  /** Whether a task is to be ended that nobody decides about. */
  async #isOverdue({ id }: RecordView): Promise<boolean> {
    const { clock, waitLimitMs } = this.#runtime
    const { state } = await this.#turn({ kind: 'task', id })
    return hasWaitedTooLong(state, clock.now(), waitLimitMs)
  }

  async #toInput(task: NewTask, call: CallContext): Promise<TaskInput> {
    const { description, metadata, domainKnowledge, agent, plan } = task
    const { toolbox, revision, document } = await this.#agent(agent, metadata, call)
    if (plan !== undefined) assertPlan(plan, description, toolbox)
    return {
      description,
      metadata,
      domainKnowledge,
      ...(agent !== undefined && { agent }),
      ...(document !== undefined && { pinned: { revision, document } }),
      ...(plan !== undefined && { plan }),
      config: {
        ...DEFAULT_TASK_CONFIG,
        taskTimeoutSecs: this.#runtime.taskTimeoutMs / 1_000,
        ...this.#runtime.taskDefaults,
        ...task.config,
      },
      prompts: this.#runtime.pinPrompts(),
    }
  }

  #agent(
    agent: string | undefined,
    variables: JsonObject,
    call: CallContext,
    pinned?: PinnedAgent,
  ): Promise<TaskAgentSetup> | TaskAgentSetup {
    const { agents, defaultAgent } = this.#runtime
    return agent === undefined ? defaultAgent() : agents.prepare(agent, { variables, call, pinned })
  }

  async #toolboxOf(address: RecordAddress, call: CallContext): Promise<Toolbox> {
    const { agent, metadata, pinned } = readTaskInput((await this.#turn(address)).input)
    return (await this.#agent(agent, metadata, call, pinned)).toolbox
  }

  #turn(address: RecordAddress): Promise<TurnView> {
    return this.#runtime.store.turns.read(address, TASK_TURN)
  }
}

/** The last event of a task that has ended, made of its record. */
function lastEvent({ status, result = {} }: TurnView): Omit<StateEvent, 'id'> {
  const type = `task.${status}`
  return { type, json: stringifyJson({ type, ...result }) }
}

/** @throws ServiceError `invalid_plan` */
function assertPlan(plan: JsonObject, goal: string, toolbox: TaskAgentSetup['toolbox']): void {
  const verdict = checkPlanShape(plan)
  if (verdict.problems.length > 0) {
    const problem = describeVerdict(verdict, 'plan')
    throw new ServiceError('invalid_plan', `The plan cannot be read: ${problem}`, { param: 'plan' })
  }
  if (isJsonObject(plan)) checkPlan(readPlan(plan, goal), toolbox)
}
