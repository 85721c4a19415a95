import { isJsonObject, type JsonObject, own } from '../../util/json/json.js'
import { choicesOf } from './read-completion.js'

/** A chat completion of one message. The head has what is beside it: `id`, `object`, `created`, `model`. */
export function toCompletion(
  head: JsonObject,
  message: JsonObject,
  finishReason: string,
  usage: JsonObject,
): JsonObject {
  return { ...head, choices: [{ index: 0, message, finish_reason: finishReason }], usage }
}

/** One chunk of a streamed chat completion. */
export function toDeltaChunk(
  head: JsonObject,
  delta: JsonObject,
  finishReason: string | null = null,
): JsonObject {
  const indexed = withToolCallIndexes(delta)
  return { ...head, choices: [{ index: 0, delta: indexed, finish_reason: finishReason }] }
}

/** The chunk with a stream's usage. */
export function toUsageChunk(head: JsonObject, usage: JsonObject): JsonObject {
  return { ...head, choices: [], usage }
}

/** Turns a whole chat completion into the one streamed chunk that says the same. */
export function toWholeChunk(completion: JsonObject): JsonObject {
  const choices = choicesOf(completion).map(({ message, ...rest }): JsonObject => {
    return { ...rest, delta: isJsonObject(message) ? withToolCallIndexes(message) : {} }
  })
  return { ...completion, object: 'chat.completion.chunk', choices }
}

/** Streamed tool calls carry an index, whole ones do not. */
function withToolCallIndexes(message: JsonObject): JsonObject {
  const calls = own(message, 'tool_calls')
  if (!Array.isArray(calls)) return message
  return {
    ...message,
    tool_calls: calls.map((call, index) => (isJsonObject(call) ? { index, ...call } : call)),
  }
}
