import { anyObject, looseObject, openObject } from './any-object.js'
import { optional } from './optional.js'
import { type Static, Type } from './type.js'

const open = { additionalProperties: true } as const

/** Chats are sessions: their ids may be in urls. */
const ChatId = Type.String({
  pattern: '^[A-Za-z0-9._-]{1,100}$',
  description: 'Of the chat: the id of its session',
})
const Variables = Type.Optional(
  anyObject({ description: 'Of a new chat: what the agent’s templates read as `.variables`' }),
)

const AgentId = Type.String({ minLength: 1, description: 'Of the agent', examples: ['project.guide'] })

export const AgentUiParams = Type.Object({ id: AgentId })
export type AgentUiParams = Static<typeof AgentUiParams>

export const AgentChatParams = Type.Object({
  id: AgentId,
  chat: Type.String({ ...ChatId, examples: ['c1'] }),
})
export type AgentChatParams = Static<typeof AgentChatParams>

/**
 * What `useChat` of the Vercel AI SDK sends. Only the last message is read: the session has those before. The assistant's
 * message comes back when it answers the questions of a pause.
 */
export const UiChatBody = Type.Object(
  {
    id: ChatId,
    messages: Type.Array(
      looseObject(
        {
          role: Type.String({ description: 'Who says it: `user` or `assistant`' }),
          parts: Type.Array(openObject({ type: Type.String({ description: 'Such as `text` or `file`' }) }), {
            description: 'What it says',
          }),
        },
        { title: 'UiMessage' },
      ),
      { minItems: 1, description: 'The chat; only the last message is read' },
    ),
    variables: Variables,
  },
  {
    title: 'UiChatRequest',
    ...open,
    examples: [{ id: 'c1', messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }] }],
  },
)
export type UiChatBody = Static<typeof UiChatBody>

/** An answer to a question; `payload` is `{approved, arguments?, reason?}`. */
const ResumeEntry = looseObject(
  {
    interruptId: Type.String({ minLength: 1, description: 'Of the interrupt that is answered' }),
    status: Type.Enum(['resolved', 'cancelled'], { description: '`cancelled` rejects the call' }),
    payload: optional.any('`{approved, arguments?, reason?}`'),
  },
  { title: 'AgUiResume' },
)

/**
 * AG-UI's `RunAgentInput`. Only the last message is read: the session has those before. With `resume` none is: the run
 * continues with the turn that put the questions.
 */
export const AgUiBody = Type.Object(
  {
    threadId: ChatId,
    runId: Type.String({ minLength: 1, description: 'Of the run; its events repeat it' }),
    messages: Type.Array(openObject({ role: Type.String({ description: 'Who says it' }) }), {
      description: 'The conversation; only the last message is read',
    }),
    resume: Type.Optional(
      Type.Array(ResumeEntry, { description: 'Answers to the interrupts of the run before' }),
    ),
    forwardedProps: optional.any('`variables` of a new thread'),
  },
  {
    title: 'AgUiRequest',
    ...open,
    examples: [{ threadId: 't1', runId: 'r1', messages: [{ id: 'm1', role: 'user', content: 'Hello' }] }],
  },
)
export type AgUiBody = Static<typeof AgUiBody>
