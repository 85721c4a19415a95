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
    id: Type.String({ description: 'Unique in its plan' }),
    index: Type.Integer({ description: 'From 0' }),
    name: optional.text('Its name, where the planner gave one'),
    description: Type.String({ description: 'What is to be done' }),
    estimated_duration_secs: optional.number('How long the planner expects it to take'),
    tool_id: optional.text('The tool that the step calls; absent for one that the agent carries out'),
    parameters: anyObject({ description: 'Arguments of the tool' }),
    dependencies: Type.Array(Type.String(), { description: 'Ids of steps that come before it' }),
    expected_output: optional.text('What the planner expects'),
    attempts: Type.Integer({ description: 'How often it was started' }),
    status: openEnum(['pending', 'running', 'completed', 'failed', 'skipped'], 'Its status'),
    output: Type.Optional(Type.Unsafe<JsonValue>({ description: 'Result of the step' })),
    error: Type.Optional(Failure),
    because: optional.text('The id of the step whose failure it was skipped for'),
    started_at: optional.text('In the body of a task, once the step has started: ISO 8601'),
    ended_at: optional.text('In the body of a task, once the step has ended: ISO 8601'),
  },
  { title: 'TaskStep', description: 'A step of a plan' },
)

/** The plan of a round. */
export const PlanShape = Type.Object(
  {
    id: Type.String({ description: 'Its id' }),
    description: optional.text('What the planner says of the whole'),
    estimated_duration_secs: optional.number('How long the planner expects it to take'),
    max_parallel_steps: optional.integer('Absent: steps run in order'),
    steps: Type.Array(TaskStep, { description: 'In order' }),
  },
  { title: 'Plan', description: 'The plan of a round' },
)

const score = Type.Number({ minimum: 0, maximum: 100, description: 'From 0 to 100' })
const texts = (description: string) => Type.Array(Type.String(), { description })

/** What the evaluator said of one round, in its own words. */
export const EvaluationShape = Type.Object(
  {
    evaluation_id: optional.text('The evaluator’s own'),
    overall_score: score,
    is_successful: Type.Boolean({ description: 'Whether the round did what was asked' }),
    dimensions: Type.Object(
      { completeness: score, correctness: score, efficiency: score, reliability: score },
      { description: 'What the score is made of' },
    ),
    successes: texts('What went well'),
    failures: texts('What did not'),
    improvement_suggestions: texts('What to do better'),
    unusable: Type.Optional(Type.Literal(true, { description: 'The evaluator’s answer could not be used' })),
  },
  { title: 'Evaluation', description: 'What the evaluator says of a round' },
)

/** What the reflector said after a round, in its own words. */
export const ReflectionShape = Type.Object(
  {
    reflection_id: optional.text('The model’s own'),
    root_causes: texts('Why it did not go well'),
    incorrect_assumptions: texts('What was not true'),
    alternative_approaches: texts('Other ways'),
    optimization_suggestions: Type.Array(anyObject(), {
      description: 'What to change, as the model writes it',
    }),
    lessons_learned: texts('What the next plan should heed'),
    should_replan: Type.Boolean({ description: 'Whether another round is worth it' }),
    unusable: Type.Optional(Type.Literal(true, { description: 'The model’s answer could not be used' })),
  },
  { title: 'Reflection', description: 'What the reflector says after a round' },
)

/** What a task came to; there is one at every ending. */
export const TaskResult = Type.Object(
  {
    ended_by: openEnum(TASK_ENDS, 'Why the task ended'),
    output: looseObject(
      {
        text: Type.String({ description: 'Of the last step' }),
        steps: anyObject({ description: 'The result of each step, by its id' }),
      },
      { description: 'What the best round made' },
    ),
    failure_count: Type.Integer({ description: 'Failed steps of the round that the output is from' }),
    rounds: Type.Integer({ description: 'Number of rounds started' }),
    usage: TokenUsage,
    cost: optional.number('In the currency of the configured prices'),
  },
  { title: 'TaskResult', description: 'What a task came to' },
)

/** A phase of a round that is over. */
export const TaskPhase = Type.Object(
  {
    phase: openEnum(TASK_PHASES, 'Which'),
    started_at: Type.String({ description: 'ISO 8601' }),
    ended_at: Type.String({ description: 'ISO 8601' }),
  },
  { title: 'TaskPhase', description: 'A phase of a round that is over' },
)

/** A round as the body of a task shows it; what it does not have yet is absent. */
export const TaskRound = looseObject(
  {
    round: Type.Integer({ description: 'From 1' }),
    plan: Type.Optional(PlanShape),
    error: Type.Optional(Failure),
    evaluation: Type.Optional(EvaluationShape),
    reflection: Type.Optional(ReflectionShape),
    phases: Type.Optional(Type.Array(TaskPhase, { description: 'Those that are over' })),
  },
  { title: 'TaskRound', description: 'A round, as far as it is' },
)
