import { ServiceError } from '../errors.js'
import { ownSchema } from '../schema/json-schema.js'
import { stringifyJson } from '../util/json.js'
import { askPlanner } from './ask-planner.js'
import { withRound } from './checkpoint.js'
import { planText } from './evaluate-phase.js'
import { REFLECTION_SCHEMA, type Reflection, readReflection, UNUSABLE_REFLECTION } from './reflection.js'
import type { TaskProgress } from './task-progress.js'
import type { TaskSetup } from './task-setup.js'

const checkReflection = ownSchema(REFLECTION_SCHEMA)

/**
 * Learns from the round. Answers that cannot be used mean that it is planned again.
 *
 * @throws ServiceError as the model does
 */
export async function reflectPhase(setup: TaskSetup, progress: TaskProgress): Promise<void> {
  const { round } = progress.round
  await progress.writeSoon((checkpoint) => checkpoint, { type: 'phase.started', round, phase: 'reflect' })
  const reflection = await reflect(setup, progress)
  await progress.write((checkpoint) => withRound(checkpoint, { reflection }), {
    type: 'reflection',
    round,
    reflection,
  })
}

async function reflect(setup: TaskSetup, progress: TaskProgress): Promise<Reflection> {
  const { description, config } = setup.request
  try {
    const answer = await askPlanner(setup, {
      prompt: 'reflect',
      variables: {
        task_description: description,
        original_plan: planText(progress.plan),
        evaluation_result: stringifyJson(progress.round.evaluation, 2),
        current_round: String(progress.round.round),
        max_rounds: String(config.maxReflectionRounds),
      },
      check: checkReflection,
      repairs: 1,
      spend: progress.spend,
    })
    return readReflection(answer)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'llm_bad_response') return UNUSABLE_REFLECTION
    throw error
  }
}
