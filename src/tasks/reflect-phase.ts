import { ownSchema } from '../schema/json-schema.js'
import { stringifyJson } from '../util/json/json.js'
import { askJudgement } from './ask-judgement.js'
import { withRound } from './checkpoint.js'
import { planText } from './evaluate-phase.js'
import { REFLECTION_SCHEMA, readReflection, UNUSABLE_REFLECTION } from './reflection.js'
import type { TaskProgress } from './task-progress.js'
import type { TaskSetup } from './task-setup.js'

const checkReflection = ownSchema(REFLECTION_SCHEMA)

/**
 * Learns from the round. Answers that cannot be used mean that it is planned again.
 *
 * @throws ServiceError as the model does
 */
export async function reflectPhase(setup: TaskSetup, progress: TaskProgress): Promise<void> {
  const { description, config } = setup.request
  const { round, evaluation } = progress.round
  const reflection = await askJudgement(setup, progress, {
    phase: 'reflect',
    variables: {
      task_description: description,
      original_plan: planText(progress.plan),
      evaluation_result: stringifyJson(evaluation, 2),
      current_round: String(round),
      max_rounds: String(config.maxReflectionRounds),
    },
    check: checkReflection,
    read: readReflection,
    unusable: UNUSABLE_REFLECTION,
  })
  await progress.write((checkpoint) => withRound(checkpoint, { reflection }), {
    type: 'reflection',
    round,
    reflection,
  })
}
