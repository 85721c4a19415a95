import type { ReadonlyStatic } from '../schema/readonly-static.js'
import type { PlanShape, TaskStep } from '../schema/task-work.js'
import type { Plan, Step, StepStatus } from './plan.js'

/** A step as every body shows it. */
export type WireStep = ReadonlyStatic<typeof TaskStep>

/** A plan as every body shows it. */
export type WirePlan = ReadonlyStatic<typeof PlanShape>

/** A plan in the names of the wire. */
export function toWirePlan(plan: Plan): WirePlan {
  const { id, description, estimatedDurationSecs, steps, maxParallelSteps } = plan
  return {
    id,
    ...(description !== undefined && { description }),
    ...(estimatedDurationSecs !== undefined && { estimated_duration_secs: estimatedDurationSecs }),
    ...(maxParallelSteps !== undefined && { max_parallel_steps: maxParallelSteps }),
    steps: steps.map(toWireStep),
  }
}

/** A step in the names of the wire. */
export function toWireStep(step: Step): WireStep {
  const { id, index, name, description, toolId, parameters, dependencies, attempts, status } = step
  const { expectedOutput, estimatedDurationSecs } = step
  return {
    id,
    index,
    ...(name !== undefined && { name }),
    description,
    ...(estimatedDurationSecs !== undefined && { estimated_duration_secs: estimatedDurationSecs }),
    ...(toolId !== undefined && { tool_id: toolId }),
    parameters,
    dependencies,
    ...(expectedOutput !== undefined && { expected_output: expectedOutput }),
    attempts,
    ...toWireStatus(status),
  }
}

function toWireStatus(status: StepStatus): Pick<WireStep, 'status' | 'output' | 'error' | 'because'> {
  if (status.s === 'completed') return { status: 'completed', output: status.output }
  if (status.s === 'failed') return { status: 'failed', error: status.error }
  if (status.s === 'skipped') return { status: 'skipped', because: status.because }
  return { status: status.s }
}
