import { isJsonObject, type JsonValue } from './json.js'

const MASK = '***'
/** A shorter value would mask ordinary text. */
const MASKED_LENGTH = 4

/** Removes the values from a text. */
export function maskText(text: string, values: readonly string[]): string {
  return values.reduce(
    (masked, value) => (value.length < MASKED_LENGTH ? masked : masked.replaceAll(value, MASK)),
    text,
  )
}

/** Removes the values from every text of a result, names of properties included: a tool may echo what it was sent. */
export function maskValue(value: JsonValue, values: readonly string[]): JsonValue {
  if (values.length === 0) return value
  if (typeof value === 'string') return maskText(value, values)
  if (Array.isArray(value)) return value.map((item: JsonValue) => maskValue(item, values))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [maskText(name, values), maskValue(item, values)]),
  )
}
