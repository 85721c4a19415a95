import { ServiceError } from '../errors.js'
import type { CallUsage } from '../llm/usage.js'
import { ownSchema } from '../schema/json-schema.js'
import { isJsonObject, type JsonObject, own, stringifyJson } from '../util/json/json.js'
import { askPlanner } from './ask-planner.js'
import type { Step, StepError } from './plan.js'
import type { TaskSetup } from './task-setup.js'

/** What a model says to a step that failed. */
export interface Correction {
  readonly retry: boolean
  /** Of the next attempt; undefined: as before. Templates, as the plan's. */
  readonly parameters?: JsonObject
}

const checkCorrection = ownSchema({
  type: 'object',
  required: ['retry'],
  properties: { retry: { type: 'boolean' }, parameters: { type: ['object', 'null'] } },
})

/**
 * Asks whether and how to try a step again. An answer that cannot be used means: again, as before.
 *
 * @throws ServiceError as the model does
 */
export async function correctStep(
  setup: TaskSetup,
  run: { readonly step: Step; readonly spend: (spent: CallUsage) => void },
  parameters: JsonObject,
  error: StepError,
): Promise<Correction> {
  const { id, description, toolId } = run.step
  try {
    const answer = await askPlanner(setup, {
      prompt: 'step',
      variables: {
        task_description: setup.request.description,
        step: stringifyJson({ id, description, tool_id: toolId ?? null, parameters }, 2),
        error: `${error.code}: ${error.message}`,
      },
      check: checkCorrection,
      repairs: 1,
      spend: run.spend,
    })
    const corrected = own(answer, 'parameters')
    return { retry: own(answer, 'retry') === true, ...(isJsonObject(corrected) && { parameters: corrected }) }
  } catch (failure) {
    if (failure instanceof ServiceError && failure.code === 'llm_bad_response') return { retry: true }
    throw failure
  }
}
