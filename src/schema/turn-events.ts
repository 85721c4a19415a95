import { anyObject } from './any-object.js'
import { eventShape, eventUnion } from './event-union.js'
import { Failure } from './failure.js'
import { openEnum } from './open-enum.js'
import { optional } from './optional.js'
import { AnswerMessage, ApprovalAnswerBody, BOXED, TokenUsage, TURN_ENDS } from './session-api.js'
import { TOOL_FAILURE_CODES } from './tool-failures.js'
import { Type } from './type.js'

/** What the model asks for. */
export const ToolCallShape = Type.Object(
  {
    id: Type.String({ description: 'Of the call; its result names it' }),
    name: Type.String({ description: 'Of the tool' }),
    server: optional.text('Of a tool that an MCP server has'),
    arguments: anyObject({ description: 'As the model wrote them' }),
  },
  { title: 'ToolCall', description: 'What the model asks for' },
)

/** What a turn came to. */
export const TurnResultShape = Type.Object(
  {
    turn: Type.Integer({ description: 'Its number, from 1' }),
    status: Type.Literal('completed', { description: 'Always `completed`' }),
    message: AnswerMessage,
    ended_by: openEnum(TURN_ENDS, 'Why the turn ended'),
    usage: TokenUsage,
    steps: Type.Integer({ description: 'Model calls' }),
    tool_calls: Type.Integer({ description: 'Tool calls that ran' }),
    cost: optional.number('In the currency of the configured prices'),
    boxed: optional.text(BOXED),
    value: Type.Optional(anyObject({ description: 'Of an agent whose `answer` is a schema' })),
  },
  { title: 'TurnResult', description: 'What a turn came to' },
)

const spent = { usage: Type.Optional(TokenUsage), cost: optional.number('What the turn has cost') }

/** Events of a turn that belong to no step of a task. */
const OF_SESSIONS = [
  eventShape(
    'TurnStartedEvent',
    'turn.started',
    {
      turn: Type.Integer({ description: 'Its number, from 1' }),
      agent: Type.String({ description: 'Who answers' }),
      agent_revision: Type.String({ description: 'Changes with the document of the agent' }),
    },
    'The turn has started',
  ),
  eventShape(
    'ApprovalRequiredEvent',
    'approval.required',
    { approval: ApprovalAnswerBody },
    'A call waits for a person',
  ),
  eventShape(
    'ApprovalResolvedEvent',
    'approval.resolved',
    { approval: ApprovalAnswerBody },
    'An approval was decided',
  ),
  eventShape(
    'PausedEvent',
    'paused',
    { approvals: Type.Array(ApprovalAnswerBody, { description: 'Those that are pending' }) },
    'The run waits for these approvals',
  ),
  eventShape('GapEvent', 'gap', {}, 'Events before the next one are gone. It has no id'),
  eventShape(
    'TurnCompletedEvent',
    'turn.completed',
    { result: TurnResultShape },
    'The last event of a turn with an answer',
  ),
  eventShape(
    'TurnFailedEvent',
    'turn.failed',
    { error: Failure, ...spent },
    'The last event of a turn that failed',
  ),
  eventShape('TurnCancelledEvent', 'turn.cancelled', spent, 'The last event of a turn that was cancelled'),
] as const

const text = Type.String({ description: 'A piece of text' })
const attempt = Type.Integer({ description: 'From 1' })
/** Why a call has no good result: the tool failed, the call was one too many, or a person rejected it. */
const CALL_CODES: readonly string[] = [...TOOL_FAILURE_CODES, 'not_executed', 'approval_rejected']

/** What the events of a model's work carry: in a turn, and in the turns of a task's steps. */
export const WORK = {
  StepStarted: [
    'step.started',
    { step: Type.Integer({ description: 'From 1' }) },
    'A call of the model starts',
  ],
  TextDelta: ['text.delta', { text }, 'The next piece of the answer'],
  ReasoningDelta: ['reasoning.delta', { text }, 'The next piece of what the model thinks'],
  ToolCalled: ['tool.called', { call: ToolCallShape }, 'A tool is called'],
  ToolResult: [
    'tool.result',
    {
      call_id: Type.String({ description: 'Of the call' }),
      ok: Type.Boolean({ description: 'Whether it succeeded' }),
      code: Type.Optional(openEnum(CALL_CODES, 'Why it failed, or was not called')),
      preview: Type.String({ description: 'The beginning of the result, for one line' }),
      output: Type.String({ description: 'The result as the model reads it, up to 32,768 characters' }),
      duration_ms: Type.Number({ description: 'How long it took' }),
    },
    'The result of a tool',
  ],
  Rollback: [
    'rollback',
    {
      reason: Type.String({ description: 'Why, such as `taken_over`' }),
      attempt,
      to: optional.text('With `taken_over`: the id of the last event that is still valid'),
    },
    'Retracts every delta since `step.started`, or every event after `to`',
  ],
  Retry: ['retry', { attempt, error: Failure }, 'The model is asked again'],
  Compacted: [
    'compacted',
    {
      tokens_before: Type.Integer({ description: 'Of the whole conversation' }),
      tokens_after: Type.Integer({ description: 'With the summary' }),
    },
    'Older messages were summarized',
  ],
  Usage: [
    'usage',
    { usage: TokenUsage, cost: optional.number('What it has cost') },
    'What the run has used so far',
  ],
} as const

const { StepStarted, TextDelta, ReasoningDelta, ToolCalled, ToolResult, Rollback, Retry, Compacted } = WORK

/** What is streamed of a turn, and stored. */
export const TurnEventShape = eventUnion(
  'TurnEvent',
  [
    ...OF_SESSIONS,
    eventShape('StepStartedEvent', ...StepStarted),
    eventShape('TextDeltaEvent', ...TextDelta),
    eventShape('ReasoningDeltaEvent', ...ReasoningDelta),
    eventShape('ToolCalledEvent', ...ToolCalled),
    eventShape('ToolResultEvent', ...ToolResult),
    eventShape('RollbackEvent', ...Rollback),
    eventShape('RetryEvent', ...Retry),
    eventShape('CompactedEvent', ...Compacted),
    eventShape('UsageEvent', ...WORK.Usage),
  ],
  'What happens in a turn. Exactly one of `turn.completed`, `turn.failed` and `turn.cancelled` comes last',
)

/** Events of turns that tasks have too. */
export const [, APPROVAL_REQUIRED, APPROVAL_RESOLVED, PAUSED, GAP] = OF_SESSIONS
