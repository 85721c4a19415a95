import { ownSchema } from '../schema/json-schema.js'
import { stringifyJson } from '../util/json/json.js'
import { clipped } from '../util/text/clipped.js'
import { askJudgement } from './ask-judgement.js'
import { withRound } from './checkpoint.js'
import { EVALUATION_SCHEMA, type Evaluation, readEvaluation, UNUSABLE_EVALUATION } from './evaluation.js'
import type { Plan } from './plan.js'
import type { TaskProgress } from './task-progress.js'
import type { TaskSetup } from './task-setup.js'
import { toWireStep } from './wire-plan.js'

const checkEvaluation = ownSchema(EVALUATION_SCHEMA)
/** How much of one output an evaluator reads. */
const MAX_OUTPUT_CHARACTERS = 20_000

/**
 * Judges what came of the round's plan. Answers that cannot be used count as nothing correct.
 *
 * @throws ServiceError as the model does
 */
export async function evaluatePhase(setup: TaskSetup, progress: TaskProgress): Promise<void> {
  const { round } = progress.round
  const evaluation = await evaluationOf(setup, progress)
  await progress.writeSoon((checkpoint) => withRound(checkpoint, { evaluation }), {
    type: 'evaluation',
    round,
    evaluation,
  })
}

async function evaluationOf(setup: TaskSetup, progress: TaskProgress): Promise<Evaluation> {
  const { plan } = progress
  const { round } = progress.round
  if (setup.phases?.evaluate !== undefined) {
    await progress.writeSoon((checkpoint) => checkpoint, { type: 'phase.started', round, phase: 'evaluate' })
    return setup.phases.evaluate(plan)
  }
  return askJudgement(setup, progress, {
    phase: 'evaluate',
    variables: {
      task_description: setup.request.description,
      execution_plan: planText(plan),
      execution_results: resultsText(plan),
    },
    check: checkEvaluation,
    read: readEvaluation,
    unusable: UNUSABLE_EVALUATION,
  })
}

/** A plan as models read it. */
export function planText({ id, steps }: Plan): string {
  return stringifyJson({ id, steps: steps.map(planned) }, 2)
}

function planned(step: Plan['steps'][number]) {
  const { id, description, tool_id, parameters, dependencies, expected_output } = toWireStep(step)
  return { id, description, tool_id, parameters, dependencies, expected_output }
}

function resultsText({ steps }: Plan): string {
  return steps
    .map(({ id, status, attempts }) => {
      if (status.s === 'completed')
        return `${id}: completed\n${clipped(stringifyJson(status.output), MAX_OUTPUT_CHARACTERS)}`
      if (status.s === 'failed')
        return `${id}: failed after ${attempts} attempts\n${status.error.code}: ${status.error.message}`
      return status.s === 'skipped'
        ? `${id}: skipped, because ${status.because} failed`
        : `${id}: ${status.s}`
    })
    .join('\n\n')
}
