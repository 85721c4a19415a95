import { readObject } from '../agents/cycle/ask-object.js'
import { ServiceError } from '../errors.js'
import { ownSchema } from '../schema/json-schema.js'
import { isJsonObject, type JsonObject, type JsonValue, own, stringifyJson } from '../util/json/json.js'
import { isJsonList, listField } from '../util/json/json-fields.js'
import { MAX_PARALLEL_STEPS } from './limits.js'
import { PENDING, type Plan, type Step } from './plan.js'

/** A plan, of which only the descriptions of its steps are needed. */
export interface PartialPlan extends Partial<Omit<Plan, 'steps'>> {
  readonly steps: readonly (Pick<Step, 'description'> & Partial<Step>)[]
}

/** Understands what a model wrote as a plan. */
export interface PlanParser {
  /** @throws ServiceError `invalid_plan` (or rejects with it) for an invalid plan */
  parse(raw: string, goal: string): Promise<PartialPlan>
}

/**
 * What a plan looks like: `{"steps":[{"description"}]}`, or the long form with ids, tools, parameters and
 * dependencies, and how many steps may run side by side. What else it holds is kept out.
 */
const PLAN_SCHEMA: JsonObject = {
  type: 'object',
  required: ['steps'],
  properties: {
    plan_id: { type: ['string', 'integer', 'null'] },
    max_parallel_steps: { type: ['integer', 'null'], minimum: 1, maximum: MAX_PARALLEL_STEPS },
    steps: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        anyOf: [{ required: ['description'] }, { required: ['step_name'] }],
        properties: {
          step_id: { type: ['string', 'integer', 'null'] },
          step_name: { type: 'string', minLength: 1 },
          description: { type: 'string', minLength: 1 },
          tool_id: { type: ['string', 'null'] },
          parameters: { type: ['object', 'null'] },
          dependencies: { type: ['array', 'null'], items: { type: ['string', 'integer'] } },
        },
      },
    },
  },
}

/** Whether something has the shape of a plan. */
export const checkPlanShape = ownSchema(PLAN_SCHEMA)

/** Reads plans in JSON, bare or among words, in either of their two forms. */
export class JsonPlanParser implements PlanParser {
  async parse(raw: string, goal: string): Promise<Plan> {
    const read = readObject(raw, checkPlanShape)
    if (!read.ok) throw new ServiceError('invalid_plan', `The plan cannot be read: ${read.problem}`)
    return readPlan(read.value, goal)
  }
}

/** An object that fits {@link PLAN_SCHEMA} as a plan; nothing of it has run. */
export function readPlan(value: JsonObject, goal: string): Plan {
  const rows = listField(value, 'steps').filter(isJsonObject)
  const maxParallelSteps = own(value, 'max_parallel_steps')
  const description = textOf(own(value, 'description'))
  return {
    id: textOf(own(value, 'plan_id') ?? own(value, 'id')) ?? 'plan',
    goal,
    ...(description !== undefined && { description }),
    ...durationOf(value),
    steps: rows.map(readStep),
    ...(typeof maxParallelSteps === 'number' && maxParallelSteps > 1 && { maxParallelSteps }),
  }
}

function readStep(row: JsonObject, index: number): Step {
  const name = textOf(own(row, 'step_name'))
  const description = textOf(own(row, 'description'))
  const toolId = textOf(own(row, 'tool_id'))
  const parameters = own(row, 'parameters')
  const expected = textOf(own(row, 'expected_output'))
  return {
    index,
    id: textOf(own(row, 'step_id') ?? own(row, 'id')) ?? `step_${index + 1}`,
    ...(name !== undefined && { name }),
    description: [name, description].filter((part) => part !== undefined).join(': '),
    ...durationOf(row),
    ...(toolId !== undefined && { toolId }),
    parameters: isJsonObject(parameters) ? parameters : {},
    dependencies: idsOf(own(row, 'dependencies')),
    ...(expected !== undefined && { expectedOutput: expected }),
    attempts: 0,
    status: PENDING,
  }
}

/** Kept where it is a time, never required. */
function durationOf(value: JsonObject): Pick<Plan, 'estimatedDurationSecs'> {
  const seconds = own(value, 'estimated_duration_secs')
  return typeof seconds === 'number' && seconds >= 0 ? { estimatedDurationSecs: seconds } : {}
}

function idsOf(value: JsonValue | undefined): readonly string[] {
  if (!isJsonList(value)) return []
  return [...new Set(value.flatMap((id) => textOf(id) ?? []))]
}

/** Models write numbers for names, and objects where a sentence is expected; nothing is undefined. */
function textOf(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  return typeof value === 'string' ? value : stringifyJson(value)
}

/** A plan of another parser, which may leave out all that is counted or empty. */
export function completePlan(plan: PartialPlan, goal: string): Plan {
  return {
    ...plan,
    id: plan.id ?? 'plan',
    goal: plan.goal ?? goal,
    steps: plan.steps.map((step, index) => ({
      ...step,
      index,
      id: step.id ?? `step_${index + 1}`,
      parameters: step.parameters ?? {},
      dependencies: step.dependencies ?? [],
      attempts: step.attempts ?? 0,
      status: step.status ?? PENDING,
    })),
  }
}
