import { isJsonObject, type JsonValue, own } from './json/json.js'

/** A property of an object, or what a list has at a position in digits; undefined where there is no such thing. */
export function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d{0,8})$/.test(name) ? value[Number(name)] : undefined
  return isJsonObject(value) ? own(value, name) : undefined
}
