import { stringify as stringifyLossless } from 'lossless-json'
import { readJson } from './json-reader.js'

/** A JSON value as the service holds it: integers beyond 2^53 are bigint, so that their digits survive. */
export type JsonValue = null | boolean | number | bigint | string | readonly JsonValue[] | JsonObject

/** A JSON object. Read it with own-property access only: any name, also `__proto__`, is plain data. */
export interface JsonObject {
  readonly [name: string]: JsonValue
}

/** Sixteen digits in a row can be an integer that a double does not hold. */
const MAY_HOLD_LARGE_INTEGER = /\d{16}/

/**
 * Parses JSON text; integers beyond ±(2^53 − 1) become bigint.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue
  if (!MAY_HOLD_LARGE_INTEGER.test(text)) return value
  return readJson(text)
}

/** Prints JSON text; bigint prints its digits. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent)
  } catch {
    // A bigint somewhere. The built-in is ten times faster, so it goes first.
    return stringifyLossless(value, null, indent) as string
  }
}

/** True for a JSON object, false for null, lists and scalars. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads a property only if the object itself has it. */
export function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** What stands at a path of objects; undefined where one of them has no such property. */
export function valueAt(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (parent, name) => (isJsonObject(parent) ? own(parent, name) : undefined),
    value,
  )
}
