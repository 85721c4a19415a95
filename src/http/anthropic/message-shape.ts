import { MessageStream, messageEvent } from '../../llm/anthropic/message-stream.js'
import { type MessageFrame, writeMessage } from '../../llm/anthropic/write-message.js'
import { StreamReader } from '../../llm/chat/read-stream.js'
import { jsonObject } from '../../util/json/json-fields.js'
import { toJsonText } from '../answers/json-text.js'
import type { AnswerShape } from '../chat/model-call.js'
import { toAnthropicError } from './anthropic-error.js'

/** Makes messages of chat completions, whole and streamed. */
export function messageShape(frame: MessageFrame): AnswerShape {
  return {
    whole: ({ body, usage }) => Buffer.from(toJsonText(writeMessage(frame, body, usage))),
    stream() {
      const stream = new MessageStream(frame)
      const reader = new StreamReader()
      return {
        events: (events) => Buffer.from(stream.take(reader.push(events))),
        end: (usage) => Buffer.from(stream.end(usage)),
        error: (body, code) => {
          return Buffer.from(messageEvent('error', jsonObject(toAnthropicError(body, code))))
        },
      }
    },
  }
}
