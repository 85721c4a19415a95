import { isJsonObject, type JsonValue, stringifyJson } from './json.js'

/** JSON text that is equal for equal values, whatever the order of their properties. */
export function canonicalJson(value: JsonValue): string {
  return stringifyJson(sortProperties(value))
}

function sortProperties(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortProperties)
  if (!isJsonObject(value)) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, sortProperties(value[name] as JsonValue)]))
}
