import type { JsonValue } from '../util/json/json.js'
import type { Plan, Step, StepError, StepStatus } from './plan.js'

/** A step as every body shows it. */
export interface WireStep
  extends Pick<Step, 'id' | 'index' | 'description' | 'parameters' | 'dependencies' | 'attempts'> {
  readonly name?: string
  readonly estimated_duration_secs?: number
  readonly tool_id?: string
  readonly expected_output?: string
  readonly status: StepStatus['s']
  readonly output?: JsonValue
  readonly error?: StepError
  /** The id of the step whose failure it was skipped for. */
  readonly because?: string
}

/** A plan as every body shows it. */
export interface WirePlan {
  readonly id: string
  readonly description?: string
  readonly estimated_duration_secs?: number
  /** Absent: steps run in order. */
  readonly max_parallel_steps?: number
  readonly steps: readonly WireStep[]
}

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
