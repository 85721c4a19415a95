import { isJsonObject, type JsonObject, type JsonValue, own, parseJson } from '../util/json.js'

const PYTHON_LITERALS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['True', true],
  ['False', false],
  ['None', null],
])

/**
 * The value that a text means, by the schema of its argument: text where the schema allows text or says nothing; JSON, or
 * Python's `True`, `False` and `None`, where it does not. What is not of that kind stays text, for validation to name.
 */
export function readValue(text: string, schema: JsonValue | undefined): JsonValue {
  const types = typesOf(schema)
  if (types.size === 0 || (types.size === 1 && types.has('string'))) return text
  const word = text.trim()
  if (types.has('string')) return types.has('null') && (word === 'null' || word === 'None') ? null : text
  const literal = PYTHON_LITERALS.get(word)
  if (literal !== undefined) return literal
  try {
    return parseJson(word)
  } catch {
    return text
  }
}

/** The types a schema allows, as far as it says so on its face. */
function typesOf(schema: JsonValue | undefined): ReadonlySet<string> {
  if (!isJsonObject(schema)) return new Set()
  const type = own(schema, 'type')
  if (typeof type === 'string') return new Set([type])
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
  return types.some(({ size }) => size === 0) ? new Set() : new Set(types.flatMap((each) => [...each]))
}

function listOf(value: JsonValue | undefined): JsonValue | undefined {
  return value === undefined ? undefined : [value]
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
