import { anyObject, closedObject, looseObject } from './any-object.js'
import { Failure } from './failure.js'
import { openEnum } from './open-enum.js'
import { optional } from './optional.js'
import { type Static, Type } from './type.js'

const ISO_8601 = 'ISO 8601'
const COST = 'In the currency of the configured prices'
/** Of turns, and of their results. */
export const BOXED = 'Of an agent with `answer: boxed`: the content of the last box'

const SessionId = Type.String({ pattern: '^[A-Za-z0-9._-]{1,100}$', description: 'Of a session' })
const Name = (description: string) => Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$', description })
const AgentId = Type.String({ minLength: 1, maxLength: 512, description: 'Of an agent of the catalog' })
const ContextId = Name('Of a context; the first is `main`')
const TurnNumber = Type.Integer({
  minimum: 1,
  maximum: 999_999_999,
  description: 'Of a turn, from 1',
  examples: [1],
})

/** The examples of a session are one conversation: what its operations are asked, one after the other, and answer. */
const session = Type.String({ ...SessionId, examples: ['trip'] })
export const SessionParams = Type.Object({ session })
export type SessionParams = Static<typeof SessionParams>

export const TurnParams = Type.Object({ session, turn: TurnNumber })
export type TurnParams = Static<typeof TurnParams>

export const MemoryParams = Type.Object({
  session,
  key: Type.String({ minLength: 1, maxLength: 256, description: 'Of the value', examples: ['units'] }),
})
export type MemoryParams = Static<typeof MemoryParams>

export const ContextParams = Type.Object({
  session,
  context: Type.String({ ...ContextId, examples: ['review'] }),
})
export type ContextParams = Static<typeof ContextParams>

export const ApprovalParams = Type.Object({
  approval: Type.String({ ...Name('Of an approval'), examples: ['s-1-0-trip'] }),
})
export type ApprovalParams = Static<typeof ApprovalParams>

const page = {
  limit: optional.integer('Items per page', { minimum: 1, maximum: 1_000, default: 100 }),
  cursor: optional.text('`next_cursor` of the page before'),
}

export const SessionsQuery = Type.Object(page)
export type SessionsQuery = Static<typeof SessionsQuery> & { readonly limit: number }

export const MessagesQuery = Type.Object({
  ...page,
  context: Type.Optional(Name('Default: the active context')),
})
export type MessagesQuery = Static<typeof MessagesQuery> & { readonly limit: number }

export const ApprovalsQuery = Type.Object({
  session: Type.Optional(SessionId),
  task: optional.text('Of a task', { pattern: '^[A-Za-z0-9._-]{1,100}$' }),
  status: Type.Optional(
    Type.Enum(['pending'], {
      description:
        'Only pending requests. Without `session` and `task`: those of all sessions and tasks of the caller',
    }),
  ),
})
export type ApprovalsQuery = Static<typeof ApprovalsQuery>

/** Body of `POST /api/sessions`. */
export const CreateSessionBody = closedObject(
  {
    agent: AgentId,
    id: Type.Optional(SessionId),
    variables: Type.Optional(
      anyObject({ description: 'Variables that the agent’s templates read as `.variables`' }),
    ),
  },
  {
    title: 'CreateSessionRequest',
    examples: [{ agent: 'project.guide', id: 'trip', variables: { name: 'Ada' } }],
  },
)
export type CreateSessionBody = Static<typeof CreateSessionBody>

/** Body of `PATCH /api/sessions/{id}`. */
export const PatchSessionBody = closedObject(
  { agent: AgentId },
  { title: 'UpdateSessionRequest', examples: [{ agent: 'project.researcher' }] },
)
export type PatchSessionBody = Static<typeof PatchSessionBody>

const count = (description: string) => optional.integer(description, { minimum: 1, maximum: 1_000_000_000 })

/** What one turn may do; an agent's own limits are not widened. */
export const TurnLimits = closedObject(
  {
    max_turns: count('Turns of the session'),
    max_tool_turns: count('Rounds of tool calls'),
    max_calls_per_turn: count('Calls of one message that are executed'),
    max_steps: count('Model calls, the last answer included'),
    max_tokens: count('Input and output tokens'),
    max_cost: optional.number(COST, { exclusiveMinimum: 0 }),
    max_ms: count('Milliseconds; time spent waiting for approvals does not count'),
  },
  { title: 'TurnLimits', description: 'What one turn may do; an agent’s own limits are not widened' },
)
export type TurnLimits = Static<typeof TurnLimits>

/** Body of `POST /api/sessions/{id}/turns`: exactly one of `input` and `parts`. */
export const TurnBody = closedObject(
  {
    input: optional.text('The user’s input; not a template', { minLength: 1 }),
    parts: Type.Optional(
      Type.Array(anyObject(), {
        minItems: 1,
        maxItems: 1_000,
        description: 'The same as content parts',
      }),
    ),
    stream: optional.flag('Answer as server-sent events'),
    context: Type.Optional(Name('Default: the active context')),
    limits: Type.Optional(TurnLimits),
  },
  { title: 'TurnRequest', examples: [{ input: 'Which trains go to Bonn?' }] },
)
export type TurnBody = Static<typeof TurnBody>

export const MemoryBody = closedObject(
  { value: Type.String({ description: 'Up to 32 KiB of UTF-8' }) },
  { title: 'SetMemoryRequest', examples: [{ value: 'metric' }] },
)
export type MemoryBody = Static<typeof MemoryBody>

export const CreateContextBody = closedObject(
  { id: ContextId, agent: AgentId },
  { title: 'CreateContextRequest', examples: [{ id: 'review', agent: 'project.researcher' }] },
)
export type CreateContextBody = Static<typeof CreateContextBody>

export const BridgeBody = closedObject(
  {
    from: ContextId,
    to: ContextId,
    summary: optional.text('Default: the agent of `from` writes one', { minLength: 1 }),
  },
  {
    title: 'BridgeRequest',
    examples: [{ from: 'main', to: 'review', summary: 'We agreed on the second plan.' }],
  },
)
export type BridgeBody = Static<typeof BridgeBody>

export const ApprovalBody = closedObject(
  {
    decision: Type.Enum(['approve', 'reject', 'edit'], {
      description: '`edit` approves the call with other arguments',
    }),
    arguments: Type.Optional(anyObject({ description: 'With `edit`: the arguments to call the tool with' })),
    reason: optional.text('With `reject`: the reason; the model reads it', { maxLength: 10_000 }),
  },
  { title: 'ApprovalDecision', examples: [{ decision: 'edit', arguments: { city: 'Köln' } }] },
)
export type ApprovalBody = Static<typeof ApprovalBody>

/** What a stored message is beside its role. */
export const STORED_KINDS = ['tool_result', 'summary', 'reminder', 'interrupted'] as const

/** Token counts. */
export const TokenUsage = Type.Object(
  {
    input_tokens: Type.Integer({ description: 'Those from a cache included' }),
    output_tokens: Type.Integer({ description: 'Reasoning included' }),
    cached_tokens: Type.Integer({ description: 'Input tokens from a cache' }),
  },
  { title: 'Usage', description: 'Token counts' },
)

export const SessionAnswer = Type.Object(
  {
    id: Type.String({ description: 'Its id' }),
    agent: Type.String({ description: 'Agent of the active context' }),
    turn: Type.Integer({ description: 'Number of the last turn, 0 before the first' }),
    status: openEnum(['idle', 'running', 'paused'], 'What its last turn does'),
    active_context: Type.String({ description: 'The context of turns that name none' }),
    usage: TokenUsage,
    cost: optional.number(COST),
    created_at: Type.String({ description: ISO_8601 }),
    expires_at: Type.Union([Type.String(), Type.Null()], {
      description: 'When it is deleted unless it is used, ISO 8601; null for never',
    }),
  },
  { title: 'Session', description: 'A conversation with an agent' },
)

export const ApprovalAnswerBody = Type.Object(
  {
    id: Type.String({ description: 'Its id' }),
    session: optional.text('The session that it belongs to'),
    task: optional.text('The task that it belongs to'),
    turn: Type.Integer({ description: 'The turn that waits for it' }),
    call_id: Type.String({ description: 'Of the tool call' }),
    tool: Type.String({ description: 'The tool to be called' }),
    arguments: anyObject({ description: 'Of the call; after an edit the new ones' }),
    status: openEnum(['pending', 'approved', 'rejected', 'expired', 'cancelled'], 'What was decided'),
    reason: optional.text('Why it was rejected'),
  },
  { title: 'Approval', description: 'A tool call that waits for a person, or was decided' },
)

/** Why a turn with an answer ended. */
export const TURN_ENDS = ['answer', 'max_tool_turns', 'budget', 'loop', 'format', 'context'] as const

/** What an agent answers. */
export const AnswerMessage = looseObject(
  {
    role: Type.String({ description: '`assistant`' }),
    content: optional.any('A text, content parts, or null'),
  },
  { title: 'AnswerMessage', description: 'The answer, as an OpenAI chat message' },
)

export const TurnAnswer = looseObject(
  {
    turn: Type.Integer({ description: 'Its number, from 1' }),
    status: openEnum(['running', 'paused', 'completed', 'failed', 'cancelled'], 'Its status'),
    message: Type.Optional(AnswerMessage),
    ended_by: Type.Optional(openEnum(TURN_ENDS, 'Of a completed turn: why it ended')),
    usage: Type.Optional(TokenUsage),
    steps: optional.integer('Model calls'),
    tool_calls: optional.integer('Tool calls that ran'),
    cost: optional.number(COST),
    boxed: optional.text(BOXED),
    value: Type.Optional(
      anyObject({ description: 'Of an agent whose `answer` is a schema: the object that fits it' }),
    ),
    error: Type.Optional(Failure),
    approvals: Type.Optional(
      Type.Array(ApprovalAnswerBody, { description: 'Of a paused turn: what it waits for' }),
    ),
    started_at: optional.text(ISO_8601),
    ended_at: optional.text(ISO_8601),
  },
  { title: 'Turn', description: 'What the user says to an agent, and what comes of it' },
)

export const ContextAnswer = Type.Object(
  {
    id: Type.String({ description: 'Its id' }),
    agent: Type.String({ description: 'Who answers in it' }),
    active: Type.Boolean({ description: 'Whether turns that name no context belong to it' }),
    messages: Type.Integer({ description: 'How many it has' }),
  },
  { title: 'Context', description: 'One of the conversations of a session' },
)

export const BridgeAnswer = Type.Object(
  {
    from: Type.String({ description: 'The context that is summarized' }),
    to: Type.String({ description: 'The context that it is for' }),
    key: Type.String({ description: 'The memory key that the other contexts read it under' }),
    summary: Type.String({ description: 'The summary' }),
  },
  { title: 'ContextSummary', description: 'A summary that was copied' },
)

export const MemoryAnswer = Type.Object(
  { key: Type.String({ description: 'Its name' }), value: Type.String({ description: 'Any text' }) },
  { title: 'MemoryItem', description: 'What a session remembers' },
)

const MessageAnswer = Type.Object(
  {
    id: Type.String({ description: 'Its id' }),
    turn: Type.Integer({ description: 'The turn that it belongs to' }),
    kind: Type.Optional(openEnum(STORED_KINDS, 'What it is beside its role')),
    message: looseObject(
      { role: Type.String({ description: 'Who says it' }) },
      { description: 'An OpenAI chat message' },
    ),
  },
  { title: 'StoredMessage', description: 'A message of a session, as it is stored' },
)

const pageOf = <Item extends Parameters<typeof Type.Array>[0]>(title: string, item: Item) =>
  Type.Object(
    {
      items: Type.Array(item, { description: 'Of this page' }),
      total: Type.Integer({ description: 'How many there are, on all pages' }),
      next_cursor: optional.text('`cursor` of the next page; absent on the last one'),
    },
    { title },
  )

export const SessionsAnswer = pageOf('SessionPage', SessionAnswer)
export const ApprovalsAnswer = pageOf('ApprovalPage', ApprovalAnswerBody)
/** Data of an event of `GET /api/approvals/events`. */
export const PendingApprovals = Type.Object(
  {
    type: Type.Literal('pending', { description: 'The name of the event' }),
    items: Type.Array(ApprovalAnswerBody, { description: 'All of them' }),
    total: Type.Integer({ description: 'How many there are' }),
  },
  { title: 'PendingApprovals', description: 'All pending approval requests' },
)
export const ContextsAnswer = pageOf('ContextPage', ContextAnswer)
export const MemoryListAnswer = pageOf('MemoryPage', MemoryAnswer)
export const MessagesAnswer = pageOf('StoredMessagePage', MessageAnswer)
