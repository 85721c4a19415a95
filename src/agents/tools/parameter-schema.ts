import { ServiceError } from '../../errors.js'
import { compileSchema, type SchemaCheck } from '../../schema/json-schema.js'
import { errorMessage } from '../../util/errors/error-message.js'
import { isJsonObject, type JsonObject, type JsonValue } from '../../util/json/json.js'

/**
 * A schema of another library, by Standard Schema (https://standardschema.dev): zod, arktype, and valibot through
 * `toStandardJsonSchema`. Models get its `jsonSchema`.
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-07' }) => Record<string, unknown>
    }
  }
}

/** What a schema of another library says of a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A schema as programs write it: JSON Schema, as a literal or made by TypeBox, or a Standard Schema. */
export type ParameterSchema = StandardSchema | object

/** What fits a schema; of what the type does not show, any JSON. */
export type SchemaValue<Schema> =
  Schema extends StandardSchema<infer Output>
    ? Output
    : JsonObject extends Schema
      ? JsonObject
      : JsonSchemaValue<Schema>

/** What fits the schema of an object; any object where the type does not show it. */
export type SchemaObject<Schema> = JsonValue extends SchemaValue<Schema> ? JsonObject : SchemaValue<Schema>

type JsonSchemaValue<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Branch)[] }
      ? SchemaValue<Branch>
      : Schema extends { readonly oneOf: readonly (infer Branch)[] }
        ? SchemaValue<Branch>
        : Schema extends { readonly type: readonly (infer Type)[] }
          ? ValueOfType<Schema, Type>
          : Schema extends { readonly type: infer Type }
            ? ValueOfType<Schema, Type>
            : JsonValue

type ValueOfType<Schema, Type> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? Schema extends { readonly items: infer Item }
            ? SchemaValue<Item>[]
            : JsonValue[]
          : Type extends 'object'
            ? Schema extends { readonly properties: infer Properties }
              ? ObjectValue<Properties, RequiredNames<Schema, Properties>>
              : JsonObject
            : JsonValue

/** TypeBox marks what is optional, JSON Schema names what is required. */
type RequiredNames<Schema, Properties> = Schema extends { readonly '~kind': 'Object' }
  ? {
      [Name in keyof Properties]: Properties[Name] extends { readonly '~optional': true } ? never : Name
    }[keyof Properties]
  : Schema extends { readonly required: readonly (infer Name)[] }
    ? Name
    : never

type ObjectValue<Properties, Required> = {
  -readonly [Name in keyof Properties as Name extends Required ? Name : never]: SchemaValue<Properties[Name]>
} & {
  -readonly [Name in keyof Properties as Name extends Required ? never : Name]?: SchemaValue<Properties[Name]>
} extends infer Both
  ? { [Name in keyof Both]: Both[Name] }
  : never

/** A schema, ready to be sent to a model, to check values and to read them. */
export interface ReadableSchema<Value> {
  /** As models get it. */
  readonly json: JsonObject
  /** What the JSON Schema says, and the library's own rules where these need no waiting. */
  readonly check: SchemaCheck
  /** The value as the schema's library hands it out, defaults and transforms included. @throws ServiceError `invalid_arguments` */
  read(value: JsonValue): Value | Promise<Value>
}

/** @throws ServiceError `invalid_config` for a schema that cannot be sent to a model, or does not compile */
export function readSchema<Value>(schema: ParameterSchema): ReadableSchema<Value>
export function readSchema(schema: ParameterSchema): ReadableSchema<unknown> {
  const json = toJsonSchema(schema)
  const check = compiled(json)
  if (!isStandard(schema)) return { json, check, read: (value) => value }
  const { validate } = schema['~standard']
  return {
    json,
    check: (value) => {
      const verdict = check(value)
      if (verdict.problems.length > 0) return verdict
      const result = validate(value)
      return result instanceof Promise || result.issues === undefined ? verdict : verdictOf(result.issues)
    },
    read: async (value) => {
      const result = await validate(value)
      if (result.issues === undefined) return result.value
      throw new ServiceError('invalid_request', result.issues.map(describeIssue).join('; '))
    },
  }
}

/** The JSON Schema that a model gets. @throws ServiceError `invalid_config` */
function toJsonSchema(schema: ParameterSchema): JsonObject {
  if (!isStandard(schema)) return plain(schema)
  const { vendor, jsonSchema } = schema['~standard']
  if (jsonSchema === undefined)
    throw new ServiceError(
      'invalid_config',
      `The schema of ${vendor} has no JSON Schema to show to a model: convert it first, valibot's with toStandardJsonSchema of @valibot/to-json-schema`,
    )
  const { $schema: _dialect, ...json } = plain(jsonSchema.input({ target: 'draft-07' }))
  return json
}

function isStandard(schema: ParameterSchema): schema is StandardSchema {
  return '~standard' in schema
}

/** Without markers of libraries, which are not JSON. */
function plain(schema: object): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(schema))
  return isJsonObject(copy) ? copy : {}
}

function compiled(json: JsonObject): SchemaCheck {
  try {
    return compileSchema(json)
  } catch (cause) {
    throw new ServiceError('invalid_config', `The schema does not compile: ${errorMessage(cause)}`, { cause })
  }
}

function verdictOf(issues: readonly StandardIssue[]): ReturnType<SchemaCheck> {
  const problems = issues.map(({ message, path = [] }) => ({
    path: path.map((step) => String(typeof step === 'object' ? step.key : step)),
    keyword: 'standard',
    message: `is wrong: ${message}`,
    params: {},
  }))
  return { problems, omittedCount: 0 }
}

function describeIssue({ message, path = [] }: StandardIssue): string {
  const place = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
  return place === '' ? message : `${place}: ${message}`
}
