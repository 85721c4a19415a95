import { ServiceError } from '../errors.js'
import type { Toolbox } from '../tools/toolbox.js'
import { didYouMean, nearNames } from '../util/errors/near-names.js'
import { MAX_PLAN_STEPS, MAX_STEP_ID_CHARACTERS } from './limits.js'
import type { Plan, Step } from './plan.js'

const MAX_PROBLEMS = 20

/**
 * Checks that a plan can be carried out: known tools, unique ids, known dependencies without a circle. Steps come back
 * in an order in which every step follows those it depends on, else as they were.
 *
 * @throws ServiceError `invalid_plan` with every problem in `details`
 */
export function checkPlan(plan: Plan, tools: Toolbox): Plan {
  if (plan.steps.length > MAX_PLAN_STEPS)
    throw invalidPlan([`it has ${plan.steps.length} steps, and ${MAX_PLAN_STEPS} are allowed`])
  const problems = [...idProblems(plan.steps), ...toolProblems(plan.steps, tools)]
  if (plan.steps.length === 0) problems.push('it has no steps')
  const sorted = problems.length > 0 ? undefined : inOrder(plan.steps)
  if (sorted !== undefined) return { ...plan, steps: sorted.map((step, index) => ({ ...step, index })) }
  throw invalidPlan(problems.length > 0 ? problems : [`the steps depend on each other in a circle`])
}

/** A refusal that names everything that is wrong. */
export function invalidPlan(problems: readonly string[]): ServiceError {
  const shown = problems.slice(0, MAX_PROBLEMS)
  return new ServiceError('invalid_plan', `The plan cannot be used: ${shown.join('; ')}`, {
    param: 'plan',
    details: shown.map((message) => ({ message })),
    omittedCount: problems.length - shown.length,
  })
}

function idProblems(steps: readonly Step[]): string[] {
  const ids = new Set<string>()
  const problems: string[] = []
  for (const { id } of steps) {
    if (ids.has(id)) problems.push(`two steps have the id ${JSON.stringify(id)}`)
    if (id.length > MAX_STEP_ID_CHARACTERS)
      problems.push(`a step's id is longer than ${MAX_STEP_ID_CHARACTERS} characters`)
    ids.add(id)
  }
  for (const { id, dependencies } of steps)
    for (const dependency of dependencies)
      if (!ids.has(dependency))
        problems.push(
          `step ${JSON.stringify(id)} depends on ${JSON.stringify(dependency)}, which is not a step of the plan`,
        )
  return problems
}

function toolProblems(steps: readonly Step[], tools: Toolbox): string[] {
  return steps.flatMap(({ id, toolId }) => {
    if (toolId === undefined || tools.get(toolId) !== undefined) return []
    const near = nearNames(
      toolId,
      tools.list().map(({ name }) => name),
    )
    return [
      `step ${JSON.stringify(id)} needs the tool ${JSON.stringify(toolId)}, which does not exist${didYouMean(near)}`,
    ]
  })
}

/** Every step after those it depends on; undefined when that is impossible. */
function inOrder(steps: readonly Step[]): readonly Step[] | undefined {
  const done = new Set<string>()
  const sorted: Step[] = []
  let waiting = steps
  while (waiting.length > 0) {
    const ready = waiting.find(({ dependencies }) => dependencies.every((id) => done.has(id)))
    if (ready === undefined) return undefined
    sorted.push(ready)
    done.add(ready.id)
    waiting = waiting.filter((step) => step !== ready)
  }
  return sorted
}
