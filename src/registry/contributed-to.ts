import type { JsonObject, JsonValue } from '../util/json/json.js'
import { listField, objectField } from '../util/json/json-fields.js'

/** One of the lists of what an extension contributes; empty where its document has none. */
export function contributedTo(document: JsonObject, list: 'prompts' | 'dependences'): readonly JsonValue[] {
  return listField(objectField(document, 'contributes'), list)
}
