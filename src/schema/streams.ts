import { StreamFailure } from './api.js'
import { type TSchema, Type } from './type.js'

const EVENT_STREAM = 'text/event-stream'

/** An answer of events of ours, as OpenAPI has it: the schema is that of each event's data. */
export function streamOf(event: TSchema, description = 'Server-sent events') {
  return { description, content: { [EVENT_STREAM]: { schema: Type.Union([event, StreamFailure]) } } }
}

/** An answer of events that others have written down. */
export function foreignStreamOf(event: TSchema, description = 'Server-sent events') {
  return { description, content: { [EVENT_STREAM]: { schema: event } } }
}

/** An answer that is a turn, or its events with `stream: true`. */
export function answerOrEvents(answer: TSchema, event: TSchema, description: string) {
  const { content } = streamOf(event)
  return { description, content: { 'application/json': { schema: answer }, ...content } }
}

/**
 * An answer that is a chat completion, or its chunks with `stream: true`. The error that may end a stream is there in words:
 * generated clients make one type of all that an answer may be, and would look for `choices` in an error.
 */
export function answerOrChunks(answer: TSchema, chunk: TSchema, description: string) {
  return answerOrStream(answer, chunk, `${description}; ${BREAKS}`)
}

const BREAKS = 'a stream that breaks ends with `event: error`, whose data is the body of a failed request'

/** An answer that is one body, or events that others have written down with `stream: true`. */
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
