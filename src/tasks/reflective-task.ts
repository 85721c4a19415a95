import { randomUUID } from 'node:crypto'
import type { CallDecision } from '../agents/cycle/cycle-state.js'
import { toEventError } from '../agents/cycle/turn-event.js'
import { HookExecutor } from '../agents/hook-executor.js'
import { HookedModel } from '../agents/hooked-model.js'
import type { Limits } from '../agents/limits.js'
import { type Approve, askPerson } from '../agents/run-local-turn.js'
import type { AnsweringModel } from '../llm/model.js'
import { modelNameOf } from '../llm/model-name.js'
import type { Permission, Tool, Toolbox } from '../tools/toolbox.js'
import { Cancellation, type CancelSignal, whenAborted } from '../util/cancellation.js'
import { assertKnownOptions, type OptionNames } from '../util/errors/known-options.js'
import type { JsonObject } from '../util/json/json.js'
import { type CamelCase, camelCase } from '../util/text/camel-case.js'
import { type Clock, systemClock } from '../util/time/clock.js'
import { type Checkpoint, newCheckpoint } from './checkpoint.js'
import { defaultTaskAgent } from './default-agent.js'
import { type ProgramEvaluation, toEvaluation } from './evaluation.js'
import { type AskedCall, TASK_TURN } from './execute-plan.js'
import { ENDINGS, type EndedTaskStatus, type TaskEndedBy } from './next-phase.js'
import type { Plan } from './plan.js'
import { createBuiltInPrompts, type PlannerPrompts } from './planner-prompts.js'
import { runTask } from './run-task.js'
import type { StepRecord } from './step-record.js'
import { DEFAULT_TASK_CONFIG, TASK_CONFIG_NAMES, type TaskConfig } from './task-config.js'
import { endTask } from './task-ending.js'
import type { TaskEvent, WireTaskResult } from './task-event.js'
import { TaskProgress } from './task-progress.js'
import type { OwnPhases, TaskJournal, TaskSetup } from './task-setup.js'
import { readKeptTask, type TaskStorage, writeKeptTask } from './task-storage.js'

/** What happens in a task, in the names of programs; over HTTP the names are in snake_case. */
export type ProgramTaskEvent = CamelCase<TaskEvent>

/** What a task of a program came to; there is one at every ending of its own. */
export interface TaskOutcome extends CamelCase<WireTaskResult> {
  readonly status: EndedTaskStatus
  /** Why it failed: after `maxConsecutiveFailures`. */
  readonly error?: { readonly code: string; readonly message: string }
}

/** As phases of a task, in the names of programs. */
export interface ProgramPhases extends Pick<OwnPhases, 'plan'> {
  /** Judges what came of a round's plan. */
  evaluate?(plan: Plan): ProgramEvaluation
}

/** A task of a program: without `storage` nothing of it is stored. */
export interface ReflectiveTaskOptions {
  readonly provider: AnsweringModel
  /** Default: the provider's own. */
  readonly model?: string
  readonly tools: Toolbox
  readonly description: string
  readonly metadata?: JsonObject
  readonly domainKnowledge?: string
  /** Of the first round, in place of the planner's. */
  readonly plan?: Plan
  readonly config?: Partial<TaskConfig>
  readonly hooks?: HookExecutor
  readonly prompts?: PlannerPrompts
  /** Gets every event; the last one is `task.<status>`. */
  readonly onEvent?: (event: ProgramTaskEvent) => void
  /** Asked about calls of tools whose permission is `ask`. Default: such calls are refused. */
  readonly approve?: Approve
  readonly signal?: CancelSignal
  readonly clock?: Clock
  /** Longest time of one tool call, in milliseconds. Default 60,000. */
  readonly toolTimeoutMs?: number
  /** Phases that the program does itself, in place of the model. */
  readonly phases?: ProgramPhases
  /** Ends the task when it has used this many tokens, or this much money. Default: no bound. */
  readonly budget?: Partial<Pick<Limits, 'maxTokens' | 'maxCost'>>
  /** Makes the task durable: one that was stored there continues from its checkpoint. */
  readonly storage?: TaskStorage
}

const OPTION_NAMES: OptionNames<Required<ReflectiveTaskOptions>> = {
  ...{ provider: true, model: true, tools: true, description: true, metadata: true, plan: true },
  ...{ domainKnowledge: true, config: true, hooks: true, prompts: true, onEvent: true, approve: true },
  ...{ signal: true, clock: true, toolTimeoutMs: true, phases: true, budget: true, storage: true },
}

const BUDGET_NAMES = { maxTokens: true, maxCost: true } as const
const PHASE_NAMES: OptionNames<Required<ProgramPhases>> = { plan: true, evaluate: true }
const DEFAULT_TOOL_TIMEOUT_MS = 60_000
const NO_RECORDS: ReadonlyMap<string, StepRecord> = new Map()

/** The time of the task is over. */
class TaskTimeout extends Error {
  override readonly name = 'TaskTimeout'
}

/**
 * Plans, carries out, evaluates, reflects, and again, in this process, until one of the task's endings. Time that
 * `approve` takes does not count.
 *
 * @throws ServiceError `invalid_config` for options that do not exist, and as the model does; the signal's reason when it
 * aborts
 */
export async function runReflectiveTask(options: ReflectiveTaskOptions): Promise<TaskOutcome> {
  assertKnownOptions('runReflectiveTask', options, OPTION_NAMES)
  assertKnownOptions('config', options.config ?? {}, TASK_CONFIG_NAMES)
  assertKnownOptions('budget', options.budget ?? {}, BUDGET_NAMES)
  assertKnownOptions('phases', options.phases ?? {}, PHASE_NAMES)
  return new LocalTask(options).run()
}

class LocalTask {
  readonly #options: ReflectiveTaskOptions
  readonly #clock: Clock
  readonly #config: TaskConfig
  readonly #end = new Cancellation()
  readonly #journal: TaskJournal = {
    write: async ({ checkpoint, records = NO_RECORDS, events = [] }) => {
      for (const [key, record] of records) this.#kept.set(key, record)
      const { storage } = this.#options
      await storage?.write(writeKeptTask({ task: this.#task, checkpoint, records: this.#kept }))
      for (const event of events) this.#emit(event)
    },
  }
  #task: string = randomUUID()
  #kept = new Map<string, StepRecord>()
  #progress: TaskProgress
  #leftMs: number

  constructor(options: ReflectiveTaskOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#config = { ...DEFAULT_TASK_CONFIG, ...options.config }
    this.#leftMs = this.#config.taskTimeoutSecs * 1_000
    this.#progress = this.#progressFrom(newCheckpoint(this.#clock.now()))
  }

  #progressFrom(checkpoint: Checkpoint): TaskProgress {
    return new TaskProgress(this.#journal, { checkpoint, records: this.#kept, decisions: new Map() })
  }

  /** Resumes from what the storage kept. */
  async #restore(): Promise<void> {
    const kept = readKeptTask(await this.#options.storage?.read())
    if (kept === undefined) return
    this.#task = kept.task
    this.#kept = new Map(kept.records)
    this.#progress = this.#progressFrom(kept.checkpoint)
  }

  async run(): Promise<TaskOutcome> {
    const { signal } = this.#options
    await this.#restore()
    const onAbort = () => this.#end.abort(signal?.reason)
    if (signal !== undefined) whenAborted(signal, onAbort)
    try {
      return this.#finish(await this.#untilItEnds())
    } catch (error) {
      if (this.#end.reason instanceof TaskTimeout) return this.#finish('timeout')
      this.#finish(this.#end.aborted ? 'cancelled' : 'error', error)
      throw error
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }

  async #untilItEnds(): Promise<TaskEndedBy> {
    const setup = this.#setup()
    for (;;) {
      const stop = await this.#timed(() => runTask(setup, this.#progress))
      if (stop.kind === 'ended') return stop.endedBy
      await this.#ask(setup, stop.asked)
    }
  }

  /** Work that ends when the time of the task is over. */
  async #timed<Result>(work: () => Promise<Result>): Promise<Result> {
    const startedAt = this.#clock.now()
    const timer = setTimeout(
      () => this.#end.abort(new TaskTimeout('The time of the task is over')),
      this.#leftMs,
    )
    try {
      return await work()
    } finally {
      clearTimeout(timer)
      this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.now() - startedAt))
    }
  }

  /** Asks about the calls of steps; the task continues with the decision. */
  async #ask({ agent: { toolbox } }: TaskSetup, asked: readonly AskedCall[]): Promise<void> {
    const { approve } = this.#options
    if (approve === undefined) return
    const owner = { kind: 'task', id: this.#task, turn: TASK_TURN } as const
    const answers = await Promise.all(
      asked.map(({ id, call }) =>
        askPerson(
          { approve, owner, toolbox, signal: this.#end, emit: (event) => this.#emit(event) },
          call,
        ).then((decision): readonly [string, CallDecision] => [id, decision]),
      ),
    )
    const { checkpoint, records, decisions } = this.#progress
    this.#progress = new TaskProgress(this.#journal, {
      checkpoint,
      records,
      decisions: new Map([...decisions, ...answers]),
    })
  }

  #setup(): TaskSetup {
    return localTaskSetup(this.#options, {
      task: this.#task,
      journal: this.#journal,
      emit: (event) => this.#emit(event),
      signal: this.#end,
    })
  }

  #finish(endedBy: TaskEndedBy, cause?: unknown): TaskOutcome {
    const shown = cause === undefined ? undefined : toEventError(cause)
    const { result, error, event } = endTask(this.#progress, endedBy, shown)
    this.#emit(event)
    const { status } = ENDINGS[endedBy]
    return { ...camelCase(result), status, ...(error !== undefined && { error }) }
  }

  #emit(event: TaskEvent): void {
    this.#options.onEvent?.(camelCase(event))
  }
}

/** What a local task has beside its options. */
export interface LocalTaskParts extends Pick<TaskSetup, 'task' | 'journal' | 'emit'> {
  readonly signal: CancelSignal
}

/** Everything that phases of a local task need. @throws ServiceError `invalid_config` where the model needs a name */
export function localTaskSetup(options: ReflectiveTaskOptions, parts: LocalTaskParts): TaskSetup {
  const { provider, model, tools, description, hooks = new HookExecutor(), plan } = options
  const {
    metadata = {},
    domainKnowledge = '',
    prompts,
    toolTimeoutMs,
    approve,
    clock = systemClock,
  } = options
  const agent = defaultTaskAgent(modelNameOf(provider, model), tools)
  const { signal, ...rest } = parts
  const { phases, budget = {} } = options
  return {
    ...rest,
    phases: phases && ownPhases(phases),
    request: {
      ...{ description, metadata, domainKnowledge, config: { ...DEFAULT_TASK_CONFIG, ...options.config } },
      ...(plan !== undefined && { plan }),
    },
    agent: { ...agent, limits: budget, ...(approve === undefined && { permission: refuseQuestions }) },
    model: HookedModel.of(provider, hooks),
    prompts: prompts ?? createBuiltInPrompts(),
    hooks,
    call: Object.freeze({ requestId: randomUUID(), signal }),
    clock,
    toolTimeoutMs: toolTimeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS,
  }
}

function ownPhases({ plan, evaluate }: ProgramPhases): OwnPhases {
  return {
    ...(plan !== undefined && { plan }),
    ...(evaluate !== undefined && { evaluate: (carried: Plan) => toEvaluation(evaluate(carried)) }),
  }
}

/** Nobody can be asked. */
function refuseQuestions({ permission }: Tool): Permission {
  return permission === 'ask' ? 'deny' : 'allow'
}
