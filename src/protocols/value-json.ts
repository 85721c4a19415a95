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
  const types = typesOf(schema)
  if (types.size === 0 || (types.size === 1 && types.has('string'))) return textJson(text)
  const word = text.trim()
  if (types.has('string')) return saysNull(word, types) ? 'null' : textJson(text)
  return PYTHON_LITERALS.get(word) ?? (isJsonText(word) ? word : textJson(text))
}

const WORD = /^\w+$/

/** The name of an argument as JSON. */
export function keyJson(key: string): string {
  return WORD.test(key) ? `"${key}"` : stringifyJson(key)
}

/** A text as JSON. */
export function textJson(text: string): string {
  return JSON.stringify(text)
}

/** The JSON that a text is, as it was written, and the text as a JSON string where it is none. */
export function jsonOrTextJson(text: string): string {
  const word = text.trim()
  return isJsonText(word) ? word : textJson(text)
}

function saysNull(word: string, types: ReadonlySet<string>): boolean {
  return types.has('null') && (word === 'null' || word === 'None')
}

const UNKNOWN: ReadonlySet<string> = new Set()
/** Of schemas with one type, which nearly all have. */
const ALONE: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'].map((type) => [
    type,
    new Set([type]),
  ]),
)

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
