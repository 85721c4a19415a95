import { define } from '../util/define.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import { isJsonObject, own } from '../util/json/json.js'
import { checkDefaults } from './check-defaults.js'
import { checkJsonSchema } from './check-shape.js'
import { DocumentError } from './fault.js'
import { withoutEmpty } from './without-empty.js'

/** What makes an object a JSON Schema rather than a list of names. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$ref', '$defs', '$comment', 'definitions', 'type', 'properties', 'required'],
  ...['additionalProperties', 'patternProperties', 'propertyNames', 'unevaluatedProperties'],
  ...['minProperties', 'maxProperties', 'dependencies', 'dependentRequired', 'dependentSchemas'],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'enum', 'const'],
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
])

/** Names of types that authors use beside JSON Schema's own. */
export const TYPE_NAMES: Readonly<Record<string, string | undefined>> = {
  string: 'string',
  text: 'string',
  number: 'number',
  float: 'number',
  double: 'number',
  integer: 'integer',
  int: 'integer',
  boolean: 'boolean',
  bool: 'boolean',
  object: 'object',
  map: 'object',
  array: 'array',
  list: 'array',
  null: 'null',
  any: undefined,
}

/** The name of a type in JSON Schema; undefined for one that is not known or says nothing. */
export function schemaType(name: string): string | undefined {
  const known = name.toLowerCase()
  return Object.hasOwn(TYPE_NAMES, known) ? TYPE_NAMES[known] : undefined
}

/** True for a type that lists of parameters may name. */
export function isTypeName(name: string): boolean {
  return name === '' || Object.hasOwn(TYPE_NAMES, name.toLowerCase())
}

const ENTRY_NULLS: ReadonlySet<string> = new Set(['default'])
const ENTRY_TEXTS: ReadonlySet<string> = new Set(['type', 'description'])

/** The schema of a document that declares no parameters. */
const NOTHING: JsonObject = Object.freeze({ type: 'object', properties: Object.freeze({}) })

/**
 * Both forms of `parameters`, the list and the JSON Schema, as a JSON Schema of an object.
 * A list entry without a default is required unless it says `required: false`.
 *
 * @throws DocumentError
 */
export function normaliseParameters(code: string, field: string, value: JsonValue | undefined): JsonObject {
  if (value === undefined || value === null) return NOTHING
  const schema = Array.isArray(value) ? fromList(code, field, value) : fromSchema(code, field, value)
  checkJsonSchema(code, field, schema)
  return schema
}

/** The JSON Schema of a prompt's or an agent's variables, whose defaults apply where a request leaves them out. @throws DocumentError */
export function normaliseVariables(code: string, value: JsonValue | undefined): JsonObject {
  const schema = normaliseParameters(code, 'parameters', value)
  if (value !== undefined && value !== null) checkDefaults(code, 'parameters', value, schema)
  return schema
}

/** A list of parameters without what its entries leave out; a default of null stays, as it means something. */
export function withoutEmptyEntries(value: JsonValue): JsonValue {
  if (!Array.isArray(value)) return value
  return value.map((entry: JsonValue) =>
    isJsonObject(entry) ? withoutEmpty(entry, { nullable: ENTRY_NULLS, texts: ENTRY_TEXTS }) : entry,
  )
}

/** The JSON Schema of `returns`, where absent and empty mean that nothing is promised. */
export function normaliseReturns(code: string, value: JsonValue | undefined): JsonObject | undefined {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return undefined
  if (isJsonObject(value)) {
    checkJsonSchema(code, 'returns', value)
    return value
  }
  return normaliseParameters(code, 'returns', value)
}

function fromSchema(code: string, field: string, value: JsonValue): JsonObject {
  if (!isJsonObject(value)) throw new DocumentError(code, `${field} must be a list or a JSON Schema object`)
  const schema = withoutEmpty(value)
  const type = own(schema, 'type')
  if (type === 'object') return schema
  const names = Object.keys(schema)
  if (names.length > 0 && !names.some((name) => KEYWORDS.has(name) || name.startsWith('x-')))
    throw shorthand(code, field, schema)
  if (type === undefined) return { ...schema, type: 'object' }
  throw new DocumentError(code, `${field} must describe an object, not ${String(type)}`, {
    path: [field, 'type'],
  })
}

/** `{q: string}` is a schema without any keyword: it would accept everything. */
function shorthand(code: string, field: string, schema: JsonObject): DocumentError {
  const [name = '', type] = Object.entries(schema)[0] ?? []
  const known = typeof type === 'string' ? (schemaType(type) ?? 'string') : 'string'
  return new DocumentError(
    code,
    `${field} is neither a list nor a JSON Schema: it has only the names ${Object.keys(schema).slice(0, 10).join(', ')}`,
    { path: [field] },
    `write ${field}: [{ name: ${name}, type: ${known} }], or { type: object, properties: { ${name}: { type: ${known} } } }`,
  )
}

function fromList(code: string, field: string, list: readonly JsonValue[]): JsonObject {
  const properties: Record<string, JsonValue> = {}
  const required: string[] = []
  for (const [index, entry] of list.entries()) {
    const name = isJsonObject(entry) ? own(entry, 'name') : undefined
    if (!isJsonObject(entry) || typeof name !== 'string')
      throw new DocumentError(code, `${field}[${index}] must be an object with a name`, {
        path: [field, index],
      })
    if (Object.hasOwn(properties, name))
      throw new DocumentError(code, `${field}[${index}] repeats the name ${name}`, {
        path: [field, index, 'name'],
      })
    define(properties, name, propertyOf(entry))
    if (isRequired(entry)) required.push(name)
  }
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }
}

/** A default of null says that the value may be left out, not that it is null. */
function isRequired(entry: JsonObject): boolean {
  const required = own(entry, 'required')
  return typeof required === 'boolean' ? required : own(entry, 'default') === undefined
}

function propertyOf(entry: JsonObject): JsonObject {
  const { name: _name, required: _required, type, ...rest } = withoutEmpty(entry)
  if (type === undefined) return rest
  if (typeof type !== 'string') return { type, ...rest }
  const name = schemaType(type)
  return name === undefined ? rest : { type: name, ...rest }
}
