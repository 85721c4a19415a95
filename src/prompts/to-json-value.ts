import { Float, Slice, Typed } from '../template/value.js'
import type { JsonValue } from '../util/json.js'

/** What a template passes to a tool, as plain JSON: Go's number types and slices become numbers and lists. */
export function toJsonValue(value: unknown): JsonValue {
  if (value === undefined || value === null) return null
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (value instanceof Float) return value.value
  if (value instanceof Typed) return toJsonValue(value.value)
  if (value instanceof Slice) return value.items.slice(value.start, value.end).map(toJsonValue)
  if (Array.isArray(value)) return value.map(toJsonValue)
  if (typeof value !== 'object') return String(value)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toJsonValue(item)]))
}
