import { isJsonObject, type JsonObject, type JsonValue, own, stringifyJson } from '../util/json.js'

/** Turns a whole chat completion into the one streamed chunk that says the same, as event text. */
export function toChunk(completion: JsonObject): Buffer {
  const choices = own(completion, 'choices')
  const chunk = {
    ...completion,
    object: 'chat.completion.chunk',
    choices: Array.isArray(choices) ? choices.map(toDelta) : [],
  }
  return Buffer.from(`data: ${stringifyJson(chunk)}\n\n`)
}

function toDelta(choice: JsonValue): JsonValue {
  if (!isJsonObject(choice)) return choice
  const { message, ...rest } = choice
  return { ...rest, delta: isJsonObject(message) ? withToolCallIndexes(message) : {} }
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
