import { isJsonObject, type JsonValue } from '../json/json.js'

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

/** A shorter text of base64 may be anything. */
const ENCODED_LENGTH = 8
/** Where the characters of base64 begin that a text's own bytes decide, by the number of bytes before it modulo 3. */
const BASE64_STARTS = [0, 2, 3] as const

/** A secret in the forms that an answer may repeat it in: as it is, and in base64, also inside of a longer text. */
export function secretForms(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  const encoded = BASE64_STARTS.flatMap((start, before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const own = text.slice(start, Math.floor(((before + bytes.length) * 8) / 6))
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
  return [...new Set([value, ...encoded.filter(({ length }) => length >= ENCODED_LENGTH)])]
}
