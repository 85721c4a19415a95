import { isJsonObject, type JsonObject, type JsonValue } from '../util/json/json.js'

/** Which members of an object count as absent when they are empty. */
export interface EmptyMembers {
  /** Members whose null means something. */
  readonly nullable?: ReadonlySet<string>
  /** Members whose empty text means nothing. */
  readonly texts?: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

/**
 * The object without the members that say nothing: programs write `null` and `""` for what they leave out. It is the
 * object itself where there is nothing to leave out.
 */
export function withoutEmpty(
  object: JsonObject,
  { nullable = NONE, texts = NONE }: EmptyMembers = {},
): JsonObject {
  const says = (name: string, value: JsonValue | undefined) =>
    value === null ? nullable.has(name) : value !== '' || !texts.has(name)
  if (Object.keys(object).every((name) => says(name, object[name]))) return object
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => says(name, value)))
}

/** A value without the nulls of its objects, and of those in them and in lists, all the way down. */
export function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(withoutEmpty(value)).map(
    ([name, item]) => [name, withoutNulls(item)] as const,
  )
  return Object.fromEntries(entries)
}
