import { anyObject, looseObject } from './any-object.js'
import { eventShape, eventUnion } from './event-union.js'
import { Failure } from './failure.js'
import { openEnum } from './open-enum.js'
import { optional } from './optional.js'
import { TokenUsage } from './session-api.js'
import { TASK_ENDS } from './task-api.js'
import { APPROVAL_REQUIRED, APPROVAL_RESOLVED, GAP, PAUSED, WORK } from './turn-events.js'
import { Type } from './type.js'

const round = Type.Integer({ description: 'From 1' })

const Step = Type.Object(
  {
    id: Type.String(),
    index: Type.Integer(),
    description: Type.String(),
    tool_id: optional.text('The tool that the step calls; absent for one that the agent carries out'),
    parameters: anyObject(),
    dependencies: Type.Array(Type.String()),
    expected_output: optional.text('What the planner expects'),
    attempts: Type.Integer(),
    status: openEnum(['pending', 'running', 'completed', 'failed', 'skipped'], 'How far it is'),
    output: optional.any('What the step came to'),
    error: Type.Optional(Failure),
    because: optional.text('The id of the step whose failure it was skipped for'),
  },
  { title: 'TaskStep' },
)

const Plan = Type.Object(
  {
    id: Type.String(),
    max_parallel_steps: optional.integer('Absent: steps run in order'),
    steps: Type.Array(Step),
  },
  { title: 'Plan' },
)

const score = Type.Number({ minimum: 0, maximum: 100 })

const Evaluation = Type.Object(
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

const Reflection = Type.Object(
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

const TaskResult = Type.Object(
  {
    ended_by: openEnum(TASK_ENDS, 'Why the task ended'),
    output: looseObject({ text: Type.String(), steps: anyObject() }),
    failure_count: Type.Integer({ description: 'Failed steps of the round that the output is from' }),
    rounds: Type.Integer({ description: 'How many were begun' }),
    usage: TokenUsage,
    cost: optional.number('In the currency of the configured prices'),
  },
  { title: 'TaskResult' },
)

/** What the events of a step's own turn carry beside the turn's. */
const OF_STEP = { round, step_id: Type.String() }

const { StepStarted, TextDelta, ReasoningDelta, ToolCalled, ToolResult, Rollback, Retry, Compacted } = WORK
const ending = { result: TaskResult, error: Type.Optional(Failure) }

/** What is streamed of a task, and stored. */
export const TaskEventShape = eventUnion(
  'TaskEvent',
  [
    eventShape(
      'PhaseStartedEvent',
      'phase.started',
      { round, phase: openEnum(['plan', 'execute', 'evaluate', 'reflect'], 'Which') },
      'A phase of a round begins',
    ),
    eventShape('PlanEvent', 'plan', { round, plan: Plan }, 'The plan of a round'),
    eventShape('PlanRefusedEvent', 'plan.refused', { round, error: Failure }, 'A plan could not be used'),
    eventShape('StepUpdatedEvent', 'step.updated', { round, step: Step }, 'A step has another status'),
    eventShape('EvaluationEvent', 'evaluation', { round, evaluation: Evaluation }, 'What the evaluator said'),
    eventShape(
      'ReflectionEvent',
      'reflection',
      { round, reflection: Reflection },
      'What the reflection said',
    ),
    APPROVAL_REQUIRED,
    APPROVAL_RESOLVED,
    PAUSED,
    GAP,
    eventShape('StepOfTaskStartedEvent', StepStarted[0], { ...StepStarted[1], ...OF_STEP }, StepStarted[2]),
    eventShape('StepTextDeltaEvent', TextDelta[0], { ...TextDelta[1], ...OF_STEP }, TextDelta[2]),
    eventShape(
      'StepReasoningDeltaEvent',
      ReasoningDelta[0],
      { ...ReasoningDelta[1], ...OF_STEP },
      ReasoningDelta[2],
    ),
    eventShape('StepToolCalledEvent', ToolCalled[0], { ...ToolCalled[1], ...OF_STEP }, ToolCalled[2]),
    eventShape('StepToolResultEvent', ToolResult[0], { ...ToolResult[1], ...OF_STEP }, ToolResult[2]),
    eventShape('StepRollbackEvent', Rollback[0], { ...Rollback[1], ...OF_STEP }, Rollback[2]),
    eventShape('StepRetryEvent', Retry[0], { ...Retry[1], ...OF_STEP }, Retry[2]),
    eventShape('StepCompactedEvent', Compacted[0], { ...Compacted[1], ...OF_STEP }, Compacted[2]),
    eventShape('StepUsageEvent', WORK.Usage[0], { ...WORK.Usage[1], ...OF_STEP }, WORK.Usage[2]),
    eventShape('TaskCompletedEvent', 'task.completed', ending, 'The last event of a task that is done'),
    eventShape(
      'TaskExhaustedEvent',
      'task.exhausted',
      ending,
      'The last event of a task that used up its rounds or budget',
    ),
    eventShape('TaskFailedEvent', 'task.failed', ending, 'The last event of a task that failed'),
    eventShape('TaskTimedOutEvent', 'task.timed_out', ending, 'The last event of a task that took too long'),
    eventShape('TaskCancelledEvent', 'task.cancelled', ending, 'The last event of a task that was cancelled'),
  ],
  'What happens in a task. Exactly one `task.<status>` comes last',
)
