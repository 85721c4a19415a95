import { isJsonObject, stringifyJson } from './json.js'

/** JSON text that is equal for equal values, whatever the order of their properties. */
export function canonicalJson(value: unknown): string {
  return stringifyJson(sortProperties(value))
}

function sortProperties(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortProperties)
  if (!isJsonObject(value)) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, sortProperties(value[name])]))
}
