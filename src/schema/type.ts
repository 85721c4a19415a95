import type TypeBox from 'typebox'
import { named } from '../util/named.js'

export type { Static, TSchema } from 'typebox'

type Schema = Readonly<Record<string, unknown>>
type Options = Schema | undefined

/** TypeBox's own mark. Nobody sees it who copies or prints the schema. */
const OPTIONAL = '~optional'

const isOptional = (schema: Schema) => Object.hasOwn(schema, OPTIONAL)

function object(properties: Readonly<Record<string, Schema>>, options: Options): Schema {
  const required = Object.keys(properties).filter((name) => !isOptional(named(properties, name)))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}

function record(key: Schema, value: Schema, options: Options): Schema {
  return { type: 'object', patternProperties: { [String(key['pattern'] ?? '^.*$')]: value }, ...options }
}

const BUILDERS = {
  Array: (items: Schema, options: Options) => ({ type: 'array', items, ...options }),
  Boolean: (options: Options) => ({ type: 'boolean', ...options }),
  Enum: (values: readonly string[], options: Options) => ({ enum: [...values], ...options }),
  Integer: (options: Options) => ({ type: 'integer', ...options }),
  Intersect: (allOf: readonly Schema[], options: Options) => ({ allOf, ...options }),
  Literal: (value: unknown, options: Options) => ({ type: typeof value, const: value, ...options }),
  Null: (options: Options) => ({ type: 'null', ...options }),
  Number: (options: Options) => ({ type: 'number', ...options }),
  Object: object,
  Optional: (schema: Schema) => Object.defineProperty({ ...schema }, OPTIONAL, { value: true }),
  Record: record,
  String: (options: Options) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly Schema[], options: Options) => ({ anyOf, ...options }),
  Unknown: (options: Options) => ({ ...options }),
  Unsafe: (schema: Schema) => ({ ...schema }),
}

/**
 * TypeBox's builders of JSON Schemas, with TypeBox's types. Its own are in 370 files, and reading them took an eighth
 * of the start; the schemas are the same, which a test compares.
 */
// The functions take and give plain objects; what they mean as types is TypeBox's.
export const Type = BUILDERS as unknown as Pick<typeof TypeBox, keyof typeof BUILDERS>
