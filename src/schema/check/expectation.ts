import { isJsonObject, type JsonValue } from '../../util/json/json.js'
import { shownValues } from './shown-values.js'

type Params = Readonly<Record<string, unknown>>

/** The types of JSON Schema with their articles. */
const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  null: 'null',
}
const COMPARISONS: Readonly<Record<string, string>> = {
  '>=': 'at least ',
  '<=': 'at most ',
  '>': 'greater than ',
  '<': 'less than ',
}

/** What a keyword expects, in words that follow the name of the place: `must be a string`. */
const EXPECTATIONS: Readonly<Record<string, (params: Params) => string>> = {
  type: ({ type }) => `must be ${typesOf(type).map(withArticle).join(' or ')}`,
  enum: ({ allowedValues, shown }) => `must be one of ${String(shown ?? valuesOf(allowedValues))}`,
  const: ({ allowedValue, shown }) => `must be ${String(shown ?? valuesOf([allowedValue]))}`,
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${String(multipleOf)}`,
  minLength: ({ limit }) => `must have at least ${counted(limit, 'character')}`,
  maxLength: ({ limit }) => `must have at most ${counted(limit, 'character')}`,
  minItems: ({ limit }) => `must have at least ${counted(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${counted(limit, 'item')}`,
  minProperties: ({ limit }) => `must have at least ${counted(limit, 'property', 'properties')}`,
  maxProperties: ({ limit }) => `must have at most ${counted(limit, 'property', 'properties')}`,
  pattern: ({ pattern }) => `must match the pattern ${String(pattern)}`,
  format: ({ format }) => `must have the format "${String(format)}"`,
  required: ({ missingProperty }) => `must have the property "${String(missingProperty)}"`,
  additionalProperties: ({ additionalProperty }) =>
    `must not have the property "${String(additionalProperty)}"`,
  unevaluatedProperties: ({ unevaluatedProperty }) =>
    `must not have the property "${String(unevaluatedProperty)}"`,
  propertyNames: ({ propertyName }) => `must not have a property named "${String(propertyName)}"`,
  uniqueItems: ({ i, j }) => `must not have equal items (${String(j)} and ${String(i)} are)`,
  anyOf: () => 'must match one of the schemas in anyOf',
  oneOf: () => 'must match exactly one of the schemas in oneOf',
  not: () => 'must not match the schema in not',
}

/**
 * What is expected where a keyword of JSON Schema is not met, in our words; undefined for keywords that say it themselves.
 *
 * @param params facts with ajv's names
 */
export function expectationOf(keyword: string, params: Params): string | undefined {
  return Object.hasOwn(EXPECTATIONS, keyword) ? EXPECTATIONS[keyword]?.(params) : undefined
}

function typesOf(type: unknown): readonly string[] {
  if (Array.isArray(type)) return type.map(String)
  return String(type).split(',')
}

function withArticle(type: string): string {
  return ARTICLES[type] ?? type
}

function bound({ comparison, limit }: Params): string {
  return `must be ${COMPARISONS[String(comparison)] ?? ''}${String(limit)}`
}

function counted(limit: unknown, one: string, many = `${one}s`): string {
  return `${String(limit)} ${limit === 1 ? one : many}`
}

function valuesOf(values: unknown): string {
  return shownValues(Array.isArray(values) ? values.filter(isJson) : [])
}

function isJson(value: unknown): value is JsonValue {
  return value === null || Array.isArray(value) || isJsonObject(value) || typeof value !== 'object'
}
