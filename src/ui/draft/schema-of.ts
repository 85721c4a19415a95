import type { JsonObject, JsonValue } from '../api/shapes.js'

/** The JSON Schema of a draft's `parameters`, in either form that authors write; the service makes the real one. */
export function schemaOf({ parameters }: JsonObject): JsonValue | undefined {
  if (!Array.isArray(parameters)) return parameters
  const entries = parameters.filter(isEntry)
  return {
    properties: Object.fromEntries(entries.map(({ name, ...schema }) => [String(name), schema])),
    required: entries.filter(isRequired).map(({ name }) => String(name)),
  }
}

function isEntry(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && 'name' in value
}

function isRequired(entry: JsonObject): boolean {
  return entry['required'] !== false && !('default' in entry)
}
