import { ServiceError } from '../errors.js'
import type { JsonObject } from '../util/json/json.js'
import { askPlanner, type PlannerQuestion } from './ask-planner.js'
import type { TaskProgress } from './task-progress.js'
import type { TaskSetup } from './task-setup.js'

/** The question to an evaluator or reflector, and the fallback for answers that cannot be used. */
export interface JudgementQuestion<Result> extends Pick<PlannerQuestion, 'variables' | 'check'> {
  /** Names the phase and its prompt. */
  readonly phase: 'evaluate' | 'reflect'
  readonly read: (answer: JsonObject) => Result
  readonly unusable: Result
}

/** Begins the phase and asks, once more where the answer does not fit. @throws ServiceError as the model does */
export async function askJudgement<Result>(
  setup: TaskSetup,
  progress: TaskProgress,
  { phase, variables, check, read, unusable }: JudgementQuestion<Result>,
): Promise<Result> {
  const { round } = progress.round
  await progress.writeSoon((checkpoint) => checkpoint, { type: 'phase.started', round, phase })
  const question = { prompt: phase, variables, check, repairs: 1, spend: progress.spend } as const
  try {
    return read(await askPlanner(setup, question))
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'llm_bad_response') return unusable
    throw error
  }
}
