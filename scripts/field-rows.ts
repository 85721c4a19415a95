import { isJsonObject, type JsonObject, type JsonValue, own } from '../src/util/json/json.js'
import { jsonObject } from '../src/util/json/json-fields.js'

/** One field of a document, for people. */
export interface FieldRow {
  readonly name: string
  /** Such as `string`, `list of string`, `one of go, handlebars`. */
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  object: 'object',
  array: 'list',
  null: 'null',
}

/** The fields of an object's schema in the order of its source; alternatives' fields together. */
export function fieldRows(schema: object): readonly FieldRow[] {
  const root = jsonObject(schema)
  const rows = new Map<string, FieldRow>()
  for (const part of objectParts(root)) {
    const required = own(part, 'required')
    const properties = own(part, 'properties')
    if (!isJsonObject(properties)) continue
    for (const [name, field] of Object.entries(properties)) {
      if (rows.has(name) || !isJsonObject(field)) continue
      const description = own(field, 'description')
      rows.set(name, {
        name,
        type: typeOf(field),
        isRequired:
          Array.isArray(required) &&
          required.includes(name) &&
          own(field, 'default') === undefined &&
          !isAlternative(root),
        description: typeof description === 'string' ? description : '',
      })
    }
  }
  return [...rows.values()]
}

function objectParts(schema: JsonObject): readonly JsonObject[] {
  const parts = alternatives(schema)
  return own(schema, 'properties') === undefined && parts.length > 0 ? parts : [schema]
}

function isAlternative(schema: JsonObject): boolean {
  return own(schema, 'properties') === undefined && alternatives(schema).length > 0
}

function alternatives(schema: JsonObject): readonly JsonObject[] {
  const parts = own(schema, 'anyOf') ?? own(schema, 'oneOf') ?? own(schema, 'allOf')
  return Array.isArray(parts) ? parts.filter(isJsonObject) : []
}

function typeOf(field: JsonObject): string {
  const values = own(field, 'enum')
  if (Array.isArray(values)) return `one of ${values.map(showValue).join(', ')}`
  const type = own(field, 'type')
  if (type === 'array') return `list of ${itemType(own(field, 'items'))}`
  if (type === 'object') return isJsonObject(own(field, 'patternProperties')) ? 'map' : 'object'
  if (typeof type === 'string') return TYPE_NAMES[type] ?? type
  const parts = alternatives(field)
  return parts.length === 0 ? 'any' : [...new Set(parts.map(typeOf))].join(' or ')
}

function itemType(items: JsonValue | undefined): string {
  return isJsonObject(items) ? typeOf(items) : 'any'
}

function showValue(value: JsonValue): string {
  return `\`${String(value)}\``
}
