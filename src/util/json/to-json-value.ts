import { MAX_FOREIGN_DEPTH } from '../limits.js'
import { isJsonObject, type JsonValue } from './json.js'

/**
 * What a program's value is as JSON: plain values as they are, others by their `toJSON`; undefined is null.
 *
 * @throws TypeError for circles
 */
export function toJsonValue(value: unknown): JsonValue {
  if (isPlain(value, MAX_FOREIGN_DEPTH)) return value
  const text = JSON.stringify(value)
  return text === undefined ? null : JSON.parse(text)
}

function isPlain(value: unknown, levels: number): value is JsonValue {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  if (typeof value === 'bigint') return true
  if (levels === 0) return false
  if (Array.isArray(value)) return value.every((each) => isPlain(each, levels - 1))
  if (!isJsonObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every((each) => isPlain(each, levels - 1))
}
