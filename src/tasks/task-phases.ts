import { randomUUID } from 'node:crypto'
import { Cancellation } from '../util/cancellation.js'
import { type CamelCase, camelCase } from '../util/text/camel-case.js'
import { systemClock } from '../util/time/clock.js'
import { invalidPlan } from './check-plan.js'
import { newCheckpoint, type RoundRecord } from './checkpoint.js'
import { evaluatePhase } from './evaluate-phase.js'
import { type ProgramEvaluation, toEvaluation } from './evaluation.js'
import { executePlan } from './execute-plan.js'
import type { Plan } from './plan.js'
import { planPhase } from './plan-phase.js'
import { reflectPhase } from './reflect-phase.js'
import type { Reflection } from './reflection.js'
import { localTaskSetup, type ReflectiveTaskOptions } from './reflective-task.js'
import { type StepRecord, stepKey } from './step-record.js'
import { TaskProgress } from './task-progress.js'
import type { TaskJournal, TaskSetup } from './task-setup.js'

/** What a reflector said, in the names of programs. */
export type ProgramReflection = CamelCase<Reflection>

const FIRST_ROUND = 1

/**
 * Planner, executor, evaluator and reflector of a task, one call each, for programs that put them together in their own
 * way. Nothing is kept between the calls.
 */
export class TaskPhases {
  readonly #setup: TaskSetup
  readonly #journal: TaskJournal

  /** @throws ServiceError `invalid_config` where the model needs a name */
  constructor(options: ReflectiveTaskOptions) {
    const { clock = systemClock, signal = new Cancellation(), onEvent } = options
    this.#journal = {
      write: async ({ events = [] }) => {
        for (const event of events) onEvent?.(camelCase(event))
      },
    }
    this.#setup = localTaskSetup(
      { ...options, clock },
      {
        task: randomUUID(),
        journal: this.#journal,
        emit: (event) => onEvent?.(camelCase(event)),
        signal,
      },
    )
  }

  /** A plan that can be carried out. @throws ServiceError `invalid_plan` after too many that cannot, and as the model does */
  async plan(): Promise<Plan> {
    const progress = this.#progress([])
    await planPhase(this.#setup, progress)
    const { plan, planError } = progress.round
    if (plan === undefined) throw invalidPlan([planError?.message ?? 'the answer holds no plan'])
    return plan
  }

  /** The plan with its steps carried out, those that are settled left as they are. */
  async execute(plan: Plan): Promise<Plan> {
    const progress = this.#progress([{ round: FIRST_ROUND, plan }], plan)
    await executePlan(this.#setup, progress, () => {})
    return progress.plan
  }

  /** What came of a plan that was carried out. @throws ServiceError as the model does */
  async evaluate(plan: Plan): Promise<ProgramEvaluation> {
    const progress = this.#progress([{ round: FIRST_ROUND, plan }], plan)
    await evaluatePhase(this.#setup, progress)
    const { evaluation } = progress.round
    if (evaluation === undefined) throw new Error('an evaluation always comes to something')
    return camelCase(evaluation)
  }

  /** What to do better. @throws ServiceError as the model does */
  async reflect(plan: Plan, evaluation: ProgramEvaluation): Promise<ProgramReflection> {
    const round: RoundRecord = { round: FIRST_ROUND, plan, evaluation: toEvaluation(evaluation) }
    const progress = this.#progress([round], plan)
    await reflectPhase(this.#setup, progress)
    const { reflection } = progress.round
    if (reflection === undefined) throw new Error('a reflection always comes to something')
    return camelCase(reflection)
  }

  #progress(rounds: readonly RoundRecord[], plan?: Plan): TaskProgress {
    return new TaskProgress(this.#journal, {
      checkpoint: { ...newCheckpoint(this.#setup.clock.now()), rounds },
      records: recordsOf(plan),
      decisions: new Map(),
    })
  }
}

/** The current state of a plan's steps. */
function recordsOf(plan: Plan | undefined): ReadonlyMap<string, StepRecord> {
  const records = new Map<string, StepRecord>()
  for (const { id, status, attempts } of plan?.steps ?? [])
    if (status.s !== 'pending') records.set(stepKey(FIRST_ROUND, id), { status, attempts })
  return records
}
