import { type TSchema, Type } from './type.js'

const EVENT_STREAM = 'text/event-stream'

/** An answer of server-sent events, as OpenAPI has it: the schema is that of each event's data. */
export function streamOf(event: TSchema, description = 'Server-sent events') {
  return { description, content: { [EVENT_STREAM]: { schema: event } } }
}

/** An answer that is one body, or server-sent events with `stream: true`. */
export function answerOrStream(answer: TSchema, event: TSchema, description: string) {
  return {
    description,
    content: { 'application/json': { schema: answer }, [EVENT_STREAM]: { schema: event } },
  }
}

/** A chunk of a streamed chat completion. */
export const ChatCompletionChunk = Type.Object(
  {
    id: Type.Optional(Type.String()),
    object: Type.Optional(Type.String()),
    model: Type.Optional(Type.String()),
    choices: Type.Array(
      Type.Object(
        {
          index: Type.Integer(),
          delta: Type.Object(
            { role: Type.Optional(Type.String()), content: Type.Optional(Type.Unknown()) },
            { additionalProperties: true },
          ),
          finish_reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        },
        { additionalProperties: true },
      ),
    ),
    usage: Type.Optional(Type.Unknown()),
  },
  {
    title: 'ChatCompletionChunk',
    additionalProperties: true,
    description: 'The model’s own JSON, nothing dropped; the stream ends with `[DONE]`',
  },
)

/** An event of a protocol that others have written down: its `type` says what it carries. */
export const ProtocolEvent = Type.Object(
  { type: Type.String() },
  { title: 'ProtocolEvent', additionalProperties: true, description: 'An event as its protocol has it' },
)
