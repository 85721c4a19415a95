import { isJsonObject, type JsonObject, type JsonValue, own } from './json.js'

/**
 * What is known to be a JSON object: our own records and schemas, whose types lack only the index signature, and what
 * was parsed and checked before.
 *
 * @throws TypeError for anything else
 */
export function jsonObject(value: unknown): JsonObject {
  if (isJsonObject(value)) return value
  throw new TypeError('a value is not a JSON object')
}

/** A field that is a text; undefined where it is anything else, or not the object's own. */
export function textField(object: JsonObject, name: string): string | undefined {
  const value = own(object, name)
  return typeof value === 'string' ? value : undefined
}

/** A field that is a number, and not one beyond 2^53. */
export function numberField(object: JsonObject, name: string): number | undefined {
  const value = own(object, name)
  return typeof value === 'number' ? value : undefined
}

/** A field that is a list; the empty list for any other value. */
export function listField(object: JsonObject, name: string): readonly JsonValue[] {
  const value = own(object, name)
  return isJsonList(value) ? value : []
}

/** A field that is an object; the empty object for any other value. */
export function objectField(object: JsonObject, name: string): JsonObject {
  const value = own(object, name)
  return isJsonObject(value) ? value : {}
}

/** True for a JSON list. `Array.isArray` does not give the compiler the element type of a readonly list. */
export function isJsonList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/** The members of an object that are texts. */
export function textEntries(object: JsonObject): Readonly<Record<string, string>> {
  const entries = Object.entries(object)
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** The texts of a list, the others left out. */
export function textsOf(list: readonly JsonValue[]): readonly string[] {
  return list.filter((each) => typeof each === 'string')
}
