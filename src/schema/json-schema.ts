import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formatsPlugin from 'ajv-formats'
import { RE2JS } from 're2js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json.js'

/** One place where a value does not fit its schema. */
export interface SchemaViolation {
  /** Dotted, from the value's name: `arguments.items.0.id`. */
  readonly path: string
  /** What is expected there, such as `must be string`. */
  readonly expectation: string
}

/** Checks a value; no violations means it fits. */
export type SchemaCheck = (value: JsonValue, name: string) => readonly SchemaViolation[]

/** Compiles JSON Schemas that other people wrote, once each. */
export interface SchemaCompiler {
  /** @throws Error when the schema itself is wrong */
  compile(schema: JsonObject): SchemaCheck
}

/** More violations than this help nobody. */
const MAX_VIOLATIONS = 10

/** Patterns run in linear time, whoever wrote them. */
const linearRegExp = Object.assign((pattern: string) => RE2JS.compile(RE2JS.translateRegExp(pattern)), {
  code: 'linearRegExp',
})

const OPTIONS = {
  strict: false,
  allErrors: true,
  logger: false,
  // Two documents may use one $id.
  addUsedSchema: false,
  code: { regExp: linearRegExp },
} as const

/**
 * A compiler for draft-07, and for 2019-09 and 2020-12 where `$schema` says so. A schema is compiled at its first
 * use and kept for as long as the schema object lives.
 */
export function createSchemaCompiler(): SchemaCompiler {
  const dialects = new Map<string, Ajv>()
  const checks = new WeakMap<JsonObject, SchemaCheck>()
  return {
    compile(schema) {
      const known = checks.get(schema)
      if (known !== undefined) return known
      const ajv = dialectOf(schema, dialects)
      const validate = ajv.compile(schema)
      // The compiler's own cache holds schemas forever; ours lets go of them.
      ajv.removeSchema(schema)
      const check = toCheck(validate)
      checks.set(schema, check)
      return check
    },
  }
}

/** One line for people: `arguments.code must be string, got 7`. */
export function describeViolations(violations: readonly SchemaViolation[]): string {
  return violations.map(({ path, expectation }) => `${path} ${expectation}`).join('; ')
}

function dialectOf(schema: JsonObject, dialects: Map<string, Ajv>): Ajv {
  const uri = String(own(schema, '$schema') ?? '')
  const name = ['2020-12', '2019-09'].find((year) => uri.includes(year)) ?? 'draft-07'
  const ajv = dialects.get(name) ?? createDialect(name)
  dialects.set(name, ajv)
  return ajv
}

function createDialect(name: string): Ajv {
  const Dialect = name === '2020-12' ? Ajv2020 : name === '2019-09' ? Ajv2019 : Ajv
  const ajv = new Dialect(OPTIONS)
  formatsPlugin.default(ajv)
  return ajv
}

function toCheck(validate: ValidateFunction): SchemaCheck {
  return (value, name) => {
    if (validate(withPlainNumbers(value))) return []
    return (validate.errors ?? []).slice(0, MAX_VIOLATIONS).map((error) => toViolation(error, name))
  }
}

function toViolation(error: ErrorObject, name: string): SchemaViolation {
  const path = [name, ...error.instancePath.split('/').slice(1).map(unescapePointer)].join('.')
  return { path, expectation: describe(error) }
}

function describe({ keyword, params, message = 'does not fit' }: ErrorObject): string {
  if (keyword === 'additionalProperties')
    return `must not have the property "${params['additionalProperty']}"`
  if (keyword === 'enum') return `must be one of ${JSON.stringify(params['allowedValues'])}`
  if (keyword === 'const') return `must be ${JSON.stringify(params['allowedValue'])}`
  return message
}

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Integers beyond 2^53 are bigint in our JSON; the validator knows only numbers. */
function withPlainNumbers(value: JsonValue): JsonValue {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null || !holdsBigInt(value)) return value
  if (Array.isArray(value)) return value.map(withPlainNumbers)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withPlainNumbers(item)]))
}

function holdsBigInt(value: JsonValue): boolean {
  if (typeof value === 'bigint') return true
  if (Array.isArray(value)) return value.some(holdsBigInt)
  return isJsonObject(value) && Object.values(value).some(holdsBigInt)
}
