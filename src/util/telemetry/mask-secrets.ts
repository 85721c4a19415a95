import { define } from '../define.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.js'
import { isJsonList } from '../json/json-fields.js'
import { NamesOfParts, namesOf } from '../json/names-of.js'
import { isSmall } from '../slices/is-small.js'
import type { Sliced } from '../slices/sliced.js'

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

/** Small members that are masked in one piece. */
const PIECE = 64

/** As {@link maskValue}, for a value that may hold very much. */
export function* maskInPieces(value: JsonValue, values: readonly string[]): Sliced<JsonValue> {
  if (isJsonList(value)) {
    const masked: JsonValue[] = []
    for (const item of value) {
      masked.push(yield* maskedMember(item, values))
      if (masked.length % PIECE === 0) yield
    }
    return masked
  }
  return isJsonObject(value) ? yield* maskMembers(value, values) : maskValue(value, values)
}

function* maskMembers(object: JsonObject, values: readonly string[]): Sliced<JsonObject> {
  const masked: Record<string, JsonValue> = {}
  const names = new NamesOfParts()
  let count = 0
  for (const name of namesOf(object)) {
    const own = maskText(name, values)
    names.add(own, !Object.hasOwn(masked, own))
    define(masked, own, yield* maskedMember(object[name] ?? null, values))
    count += 1
    if (count % PIECE === 0) yield
  }
  names.remember(masked)
  return masked
}

function* maskedMember(value: JsonValue, values: readonly string[]): Sliced<JsonValue> {
  if (isSmall(value)) return maskValue(value, values)
  yield
  return yield* maskInPieces(value, values)
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
