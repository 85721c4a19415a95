import { isJsonObject, stringifyJson } from './json.js'

/** JSON text that is equal for equal values, whatever the order of their properties. */
export function canonicalJson(value: unknown): string {
  return stringifyJson(sortProperties(value))
}

/** The value itself where it is in order already, as most are that have few properties. */
function sortProperties(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortProperties)
  if (!isJsonObject(value)) return value
  const names = Object.keys(value)
  if (isInOrder(names) && names.every((name) => isScalar(value[name]))) return value
  return Object.fromEntries(names.sort().map((name) => [name, sortProperties(value[name])]))
}

function isInOrder(names: readonly string[]): boolean {
  return names.every((name, place) => place === 0 || (names[place - 1] ?? '') < name)
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}
