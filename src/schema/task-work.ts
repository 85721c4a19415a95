import type { JsonValue } from '../util/json/json.js'
import { anyObject, looseObject } from './any-object.js'
import { Failure } from './failure.js'
import { openEnum } from './open-enum.js'
import { optional } from './optional.js'
import { TokenUsage } from './session-api.js'
import { Type } from './type.js'

/** Why a task ended. */
export const TASK_ENDS = [
  'correctness',
  'threshold',
  'no_replan',
  'first_evaluation',
  'max_rounds',
  'budget',
  'consecutive_failures',
  'error',
  'timeout',
  'unanswered',
  'cancelled',
] as const

/** How far a task is, or how it ended. */
export const TASK_STATUSES = [
  'queued',
  'running',
  'waiting',
  'completed',
  'exhausted',
  'failed',
  'timed_out',
  'cancelled',
] as const

/** What a round does, in its order. */
export const TASK_PHASES = ['plan', 'execute', 'evaluate', 'reflect'] as const

/** A step, in every body and event. */
export const TaskStep = Type.Object(
  {
    id: Type.String(),
    index: Type.Integer({ description: 'From 0' }),
    name: optional.text('Its name, where the planner gave one'),
    description: Type.String(),
    estimated_duration_secs: optional.number('How long the planner expects it to take'),
    tool_id: optional.text('The tool that the step calls; absent for one that the agent carries out'),
    parameters: anyObject(),
    dependencies: Type.Array(Type.String()),
    expected_output: optional.text('What the planner expects'),
    attempts: Type.Integer(),
    status: openEnum(['pending', 'running', 'completed', 'failed', 'skipped'], 'Its status'),
    output: Type.Optional(Type.Unsafe<JsonValue>({ description: 'Result of the step' })),
    error: Type.Optional(Failure),
    because: optional.text('The id of the step whose failure it was skipped for'),
    started_at: optional.text('In the body of a task, once the step has started: ISO 8601'),
    ended_at: optional.text('In the body of a task, once the step has ended: ISO 8601'),
  },
  { title: 'TaskStep' },
)

/** The plan of a round. */
export const PlanShape = Type.Object(
  {
    id: Type.String(),
    description: optional.text('What the planner says of the whole'),
    estimated_duration_secs: optional.number('How long the planner expects it to take'),
    max_parallel_steps: optional.integer('Absent: steps run in order'),
    steps: Type.Array(TaskStep),
  },
  { title: 'Plan' },
)

const score = Type.Number({ minimum: 0, maximum: 100 })

/** What the evaluator said of one round, in its own words. */
export const EvaluationShape = Type.Object(
  {
    evaluation_id: optional.text('The evaluator’s own'),
    overall_score: score,
    is_successful: Type.Boolean(),
    dimensions: Type.Object({
      completeness: score,
      correctness: score,
      efficiency: score,
      reliability: score,
    }),
    successes: Type.Array(Type.String()),
    failures: Type.Array(Type.String()),
    improvement_suggestions: Type.Array(Type.String()),
    unusable: Type.Optional(Type.Literal(true, { description: 'The evaluator’s answer could not be used' })),
  },
  { title: 'Evaluation' },
)

/** What the reflector said after a round, in its own words. */
export const ReflectionShape = Type.Object(
  {
    reflection_id: optional.text('The model’s own'),
    root_causes: Type.Array(Type.String()),
    incorrect_assumptions: Type.Array(Type.String()),
    alternative_approaches: Type.Array(Type.String()),
    optimization_suggestions: Type.Array(anyObject()),
    lessons_learned: Type.Array(Type.String()),
    should_replan: Type.Boolean(),
    unusable: Type.Optional(Type.Literal(true, { description: 'The model’s answer could not be used' })),
  },
  { title: 'Reflection' },
)

/** What a task came to; there is one at every ending. */
export const TaskResult = Type.Object(
  {
    ended_by: openEnum(TASK_ENDS, 'Why the task ended'),
    output: looseObject({ text: Type.String(), steps: anyObject() }),
    failure_count: Type.Integer({ description: 'Failed steps of the round that the output is from' }),
    rounds: Type.Integer({ description: 'Number of rounds started' }),
    usage: TokenUsage,
    cost: optional.number('In the currency of the configured prices'),
  },
  { title: 'TaskResult' },
)

/** A phase of a round that is over. */
export const TaskPhase = Type.Object(
  {
    phase: openEnum(TASK_PHASES, 'Which'),
    started_at: Type.String({ description: 'ISO 8601' }),
    ended_at: Type.String({ description: 'ISO 8601' }),
  },
  { title: 'TaskPhase' },
)

/** A round as the body of a task shows it; what it does not have yet is absent. */
export const TaskRound = looseObject(
  {
    round: Type.Integer({ description: 'From 1' }),
    plan: Type.Optional(PlanShape),
    error: Type.Optional(Failure),
    evaluation: Type.Optional(EvaluationShape),
    reflection: Type.Optional(ReflectionShape),
    phases: Type.Optional(Type.Array(TaskPhase)),
  },
  { title: 'TaskRound' },
)
