import { StreamReader } from '../../llm/chat/read-stream.js'
import type { ModelRequest } from '../../llm/model.js'
import { ResponseStream } from '../../llm/responses/response-stream.js'
import { type KeptFacts, type ResponseFrame, toResponse } from '../../llm/responses/to-response.js'
import { jsonObject } from '../../util/json/json-fields.js'
import type { AnswerShape } from '../chat/model-call.js'
import { toJsonText } from './json-text.js'

const NOTHING = Buffer.alloc(0)

/** Makes responses of chat completions, whole and streamed. */
export function responseShape(request: ModelRequest, id: string, now: number, kept?: KeptFacts): AnswerShape {
  const frame: ResponseFrame = { request, id, createdAt: Math.floor(now / 1000), kept }
  return {
    whole: ({ body, usage }) => Buffer.from(toJsonText(toResponse(frame, body, usage))),
    stream() {
      const stream = new ResponseStream(frame)
      const reader = new StreamReader()
      return {
        events: (events) => Buffer.from(stream.take(reader.push(events))),
        end: (usage) => Buffer.from(stream.end(usage)),
        error: (body) => Buffer.from(stream.error(jsonObject(body))),
      }
    },
  }
}

/** An upstream that speaks the interface itself ends its stream without a mark. */
export const NATIVE_RESPONSE: AnswerShape = {
  stream: () => ({
    events: (events) => events,
    end: () => NOTHING,
    error: (body) => Buffer.from(`event: error\ndata: ${toJsonText({ type: 'error', ...body })}\n\n`),
  }),
}
