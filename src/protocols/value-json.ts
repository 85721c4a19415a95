import { isJsonText } from '../util/json/is-json-text.js'
import { isJsonObject, type JsonObject, type JsonValue, own, stringifyJson } from '../util/json/json.js'

const PYTHON_LITERALS: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
])

/**
 * The JSON of what a text means, by the schema of its argument: text where the schema allows text or says nothing; JSON as
 * it was written, or Python's `True`, `False` and `None`, where it does not. What is not of that kind stays text, for
 * validation to name.
 */
export function valueJson(text: string, schema: JsonValue | undefined): string {
  if (schema === undefined) return textJson(text)
  const types = typesOf(schema)
  if (allowsOnlyText(types)) return textJson(text)
  const word = text.trim()
  if (types.has('string')) return saysNull(word, types) ? 'null' : textJson(text)
  return PYTHON_LITERALS.get(word) ?? (isJsonText(word) ? word : textJson(text))
}

/** True for a schema by which every text is the text that it is. */
export function meansText(schema: JsonValue | undefined): boolean {
  return schema === undefined || allowsOnlyText(typesOf(schema))
}

function allowsOnlyText(types: ReadonlySet<string>): boolean {
  return types === TEXT || types.size === 0 || (types.size === 1 && types.has('string'))
}

const WORD = /^\w+$/

/** The name of an argument as JSON. */
export function keyJson(key: string): string {
  return WORD.test(key) ? `"${key}"` : stringifyJson(key)
}

/** Up to this length it is quicker to see that nothing of a text has to be escaped than to have it written. */
const SHORT = 64
/** What JSON escapes in strings: halves of surrogate pairs, too, if they are alone. */
const ESCAPED = /["\\\0-\x1f\ud800-\udfff]/

/** A text as JSON. */
export function textJson(text: string): string {
  return text.length <= SHORT && !ESCAPED.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** The JSON that a text is, as it was written, and the text as a JSON string where it is not one. */
export function jsonOrTextJson(text: string): string {
  const word = text.trim()
  return isJsonText(word) ? word : textJson(text)
}

function saysNull(word: string, types: ReadonlySet<string>): boolean {
  return types.has('null') && (word === 'null' || word === 'None')
}

const UNKNOWN: ReadonlySet<string> = new Set()
const TEXT: ReadonlySet<string> = new Set(['string'])
/** Of schemas with one type, which nearly all have. */
const ALONE: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['string', TEXT],
  ...['integer', 'number', 'boolean', 'object', 'array', 'null'].map(
    (type) => [type, new Set([type])] as const,
  ),
])

/** The types a schema allows, as far as it says so on its face. */
function typesOf(schema: JsonValue | undefined): ReadonlySet<string> {
  if (!isJsonObject(schema)) return UNKNOWN
  const type = own(schema, 'type')
  if (typeof type === 'string') return ALONE.get(type) ?? new Set([type])
  if (Array.isArray(type)) return new Set(type.filter((each) => typeof each === 'string'))
  const values = own(schema, 'enum') ?? listOf(own(schema, 'const'))
  if (Array.isArray(values)) return new Set(values.map(typeOf))
  return typesOfVariants(schema)
}

function typesOfVariants(schema: JsonObject): ReadonlySet<string> {
  const variants = own(schema, 'anyOf') ?? own(schema, 'oneOf')
  if (!Array.isArray(variants)) return new Set()
  const types = variants.map(typesOf)
  // A variant that allows anything allows text.
  return types.some(({ size }) => size === 0) ? UNKNOWN : new Set(types.flatMap((each) => [...each]))
}

function listOf(value: JsonValue | undefined): JsonValue | undefined {
  return value === undefined ? undefined : [value]
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
