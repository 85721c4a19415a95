import type { Sliced } from '../slices/sliced.js'
import { isJsonObject, type JsonObject, type JsonValue } from './json.js'
import { isJsonList } from './json-fields.js'
import { namesOf } from './names-of.js'

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

/** Values, or names, that are looked at in one piece. */
const PIECE = 1_024

/** As {@link sizeOfJson}, for a value that may hold very much. */
export function* sizeInPieces(value: JsonValue): Sliced<number> {
  let size = 0
  const waiting: JsonValue[] = [value]
  for (let count = 1; waiting.length > 0; count += 1) {
    const each = waiting.pop() ?? null
    size += PER_VALUE
    if (typeof each === 'string') size += each.length
    else if (isJsonList(each)) for (const item of each) waiting.push(item)
    else if (isJsonObject(each)) size += yield* sizeOfNames(each, waiting)
    if (count % PIECE === 0) yield
  }
  return size
}

/** Adds the members to what is looked at later. */
function* sizeOfNames(object: JsonObject, waiting: JsonValue[]): Sliced<number> {
  let size = 0
  for (const [index, name] of namesOf(object).entries()) {
    size += name.length
    waiting.push(object[name] ?? null)
    if (index % PIECE === PIECE - 1) yield
  }
  return size
}
