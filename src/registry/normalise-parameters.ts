import { define } from '../util/define.js'
import type { JsonObject, JsonValue } from '../util/json.js'
import { isJsonObject, own } from '../util/json.js'
import { checkJsonSchema } from './check-shape.js'
import { DocumentError } from './problem.js'

/** Names of types that authors use beside JSON Schema's own. */
const TYPE_NAMES: Readonly<Record<string, string | undefined>> = {
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

/** The same for `returns`, where absent and empty mean that nothing is promised. */
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
  const type = own(value, 'type')
  if (type === undefined) return { ...value, type: 'object' }
  if (type !== 'object')
    throw new DocumentError(code, `${field} must describe an object, not ${String(type)}`)
  return value
}

function fromList(code: string, field: string, list: readonly JsonValue[]): JsonObject {
  const properties: Record<string, JsonValue> = {}
  const required: string[] = []
  for (const [index, entry] of list.entries()) {
    const name = isJsonObject(entry) ? own(entry, 'name') : undefined
    if (!isJsonObject(entry) || typeof name !== 'string')
      throw new DocumentError(code, `${field}[${index}] must be an object with a name`)
    if (Object.hasOwn(properties, name))
      throw new DocumentError(code, `${field}[${index}] repeats the name ${name}`)
    define(properties, name, propertyOf(code, `${field}[${index}]`, entry))
    if (isRequired(entry)) required.push(name)
  }
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }
}

function isRequired(entry: JsonObject): boolean {
  const required = own(entry, 'required')
  return typeof required === 'boolean' ? required : own(entry, 'default') === undefined
}

function propertyOf(code: string, field: string, entry: JsonObject): JsonObject {
  const { name: _name, required: _required, type, ...rest } = entry
  if (type === undefined || typeof type !== 'string') return type === undefined ? rest : { type, ...rest }
  const known = type.toLowerCase()
  if (!Object.hasOwn(TYPE_NAMES, known))
    throw new DocumentError(code, `${field} has the unknown type ${type}`)
  const name = TYPE_NAMES[known]
  return name === undefined ? rest : { type: name, ...rest }
}
