import { ServiceError } from '../errors.js'
import { payloadsOf } from '../transport/sse-splitter.js'
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../util/json.js'

/**
 * The chunks in whole events of a chat completion stream.
 *
 * @throws ServiceError `llm_bad_response` for an event that is not JSON
 */
export function chunksOf(events: Buffer): JsonObject[] {
  return payloadsOf(events).map(parseChunk).filter(isJsonObject)
}

function parseChunk(payload: string): JsonValue {
  try {
    return parseJson(payload)
  } catch (cause) {
    throw new ServiceError('llm_bad_response', "The model's stream holds an event that is not JSON", {
      cause,
    })
  }
}
