import type { JsonObject, JsonValue } from '../util/json/json.js'
import { MAX_PARALLEL_STEPS } from './limits.js'

/** The steps towards a goal. */
export interface Plan {
  readonly id: string
  readonly goal: string
  /** What the planner says of the whole. */
  readonly description?: string
  /** How long the planner expects it to take, in seconds. */
  readonly estimatedDurationSecs?: number
  /** In the order in which they start. */
  readonly steps: readonly Step[]
  /** How many steps that do not depend on each other may run side by side, 2 to {@link MAX_PARALLEL_STEPS}. Default 1. */
  readonly maxParallelSteps?: number
}

/** One step: a call of a tool where it names one, else a turn of the agent. */
export interface Step {
  /** From 0. */
  readonly index: number
  readonly id: string
  /** Its name, where the planner gave one; the description begins with it. */
  readonly name?: string
  readonly description: string
  /** How long the planner expects it to take, in seconds. */
  readonly estimatedDurationSecs?: number
  /** By id (`m.read`) or function name (`m_read`). */
  readonly toolId?: string
  /** Texts in it are templates of `steps` and `metadata`. */
  readonly parameters: JsonObject
  /** Ids of steps that have to be completed first. */
  readonly dependencies: readonly string[]
  readonly expectedOutput?: string
  /** How often it was tried. */
  readonly attempts: number
  readonly status: StepStatus
}

/** A failure as bodies and events show it. */
export interface StepError {
  readonly code: string
  readonly message: string
}

/** Status of a step, in this order: pending, running, and one of the last three. */
export type StepStatus =
  | { readonly s: 'pending' }
  | { readonly s: 'running' }
  | { readonly s: 'completed'; readonly output: JsonValue }
  | { readonly s: 'failed'; readonly error: StepError }
  /** `because`: the id of a step that it depends on. */
  | { readonly s: 'skipped'; readonly because: string }

export const PENDING: StepStatus = Object.freeze({ s: 'pending' })

/** Whether the step was not begun. */
export function isPending({ s }: StepStatus): boolean {
  return s === 'pending'
}

/** Whether the step stays as it is: a running one is neither pending nor terminal. */
export function isTerminal({ s }: StepStatus): boolean {
  return s === 'completed' || s === 'failed' || s === 'skipped'
}

/** What the step depends on and was not completed: it is skipped because of it. */
export function brokenDependency({ dependencies }: Step, steps: readonly Step[]): string | undefined {
  return dependencies.find((id) => !steps.some((step) => step.id === id && step.status.s === 'completed'))
}

/**
 * The next step to start: the first in order that is neither settled nor under way, and whose dependencies are settled.
 *
 * @param running ids of steps under way
 */
export function nextStep({ steps }: Plan, running: ReadonlySet<string>): Step | undefined {
  const open = new Set(steps.filter(({ status }) => !isTerminal(status)).map(({ id }) => id))
  return steps.find(
    ({ id, dependencies }) =>
      open.has(id) && !running.has(id) && !dependencies.some((dependency) => open.has(dependency)),
  )
}

/**
 * The same step with another status.
 *
 * @throws RangeError for a way back: a new attempt after the end is a new plan
 */
export function withStatus(step: Step, status: StepStatus, attempts = step.attempts): Step {
  const order = [isPending(step.status), isPending(status), isTerminal(step.status)] as const
  if (order[2] || (!order[0] && order[1]))
    throw new RangeError(`the step "${step.id}" cannot go from ${step.status.s} to ${status.s}`)
  return { ...step, status, attempts }
}
