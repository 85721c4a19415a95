import { isJsonObject, type JsonValue } from './json.js'

/** What a value takes beside its characters: its place in a list or an object. */
const PER_VALUE = 8

/** About how many bytes a JSON value takes in memory: the characters of its texts and names, and a few for each value. */
export function sizeOfJson(value: JsonValue | undefined): number {
  if (typeof value === 'string') return PER_VALUE + value.length
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + sizeOfJson(item), PER_VALUE)
  if (!isJsonObject(value)) return PER_VALUE
  let size = PER_VALUE
  for (const name of Object.keys(value)) size += name.length + sizeOfJson(value[name])
  return size
}
