import { eventShape, eventUnion } from './event-union.js'
import { Failure } from './failure.js'
import { openEnum } from './open-enum.js'
import {
  EvaluationShape,
  PlanShape,
  ReflectionShape,
  TASK_PHASES,
  TaskResult,
  TaskStep,
} from './task-work.js'
import { APPROVAL_REQUIRED, APPROVAL_RESOLVED, GAP, PAUSED, WORK } from './turn-events.js'
import { Type } from './type.js'

const round = Type.Integer({ description: 'From 1' })

/** What the events of a step's own turn carry beside the turn's. */
const OF_STEP = { round, step_id: Type.String({ description: 'The step that works' }) }

const { StepStarted, TextDelta, ReasoningDelta, ToolCalled, ToolResult, Rollback, Retry, Compacted } = WORK
const ending = { result: TaskResult, error: Type.Optional(Failure) }

/** What is streamed of a task, and stored. */
export const TaskEventShape = eventUnion(
  'TaskEvent',
  [
    eventShape(
      'PhaseStartedEvent',
      'phase.started',
      { round, phase: openEnum(TASK_PHASES, 'Which') },
      'A phase of a round starts',
    ),
    eventShape('PlanEvent', 'plan', { round, plan: PlanShape }, 'The plan of a round'),
    eventShape('PlanRefusedEvent', 'plan.refused', { round, error: Failure }, 'A plan could not be used'),
    eventShape('StepUpdatedEvent', 'step.updated', { round, step: TaskStep }, 'A step has another status'),
    eventShape(
      'EvaluationEvent',
      'evaluation',
      { round, evaluation: EvaluationShape },
      'The result of the evaluation',
    ),
    eventShape(
      'ReflectionEvent',
      'reflection',
      { round, reflection: ReflectionShape },
      'The result of the reflection',
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
