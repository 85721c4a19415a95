import { isJsonObject, type JsonObject, type JsonValue } from '../util/json/json.js'
import { fieldOf, valueAt } from '../util/json/json-path.js'

/**
 * What a schema says of the value at a path: through `properties`, and through `items` for a position in a list.
 * Undefined where it says nothing.
 */
export function schemaAt(schema: JsonObject, path: readonly string[]): JsonObject | undefined {
  const found = valueAt(schema, path, partFor)
  return isJsonObject(found) ? found : undefined
}

function partFor(schema: JsonValue | undefined, name: string): JsonValue | undefined {
  return (
    fieldOf(fieldOf(schema, 'properties'), name) ??
    (/^\d+$/.test(name) ? fieldOf(schema, 'items') : undefined)
  )
}
