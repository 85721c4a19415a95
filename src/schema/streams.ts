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

/** An event of a protocol that others have written down: its `type` says what it carries. */
export const ProtocolEvent = Type.Object(
  { type: Type.String({ description: 'What it carries' }) },
  { title: 'ProtocolEvent', additionalProperties: true, description: 'An event as its protocol has it' },
)
