import type { HttpRow } from './http-row.js'
import { REFUSED_SCHEMAS } from './refused-schemas.js'
import { about, many, named } from './schema-parts.js'

/** A value and a schema that is allowed, and dear to check. */
export interface DearValue {
  readonly name: string
  readonly schema: unknown
  readonly value: () => unknown
  readonly status: number
  readonly message?: RegExp
}

const DEAR_VALUES: readonly DearValue[] = [
  {
    name: 'a pattern of nested repetitions',
    schema: about({ pattern: '^(a+)+$' }),
    value: () => `${'a'.repeat(40)}!`,
    status: 400,
    message: /must match the pattern/,
  },
  {
    name: 'a pattern with two ways on 3.8 MB',
    schema: about({ pattern: '^(a|aa)+b$' }),
    value: () => 'a'.repeat(3_800_000),
    status: 400,
    message: /steps to check/,
  },
  {
    name: 'an enum of 5,000 for 10,000 items',
    schema: about({ items: { enum: many(5_000, (index) => `v${index}`) } }),
    value: () => many(10_000, (index) => `w${index}`),
    status: 400,
    message: /must be one of/,
  },
  {
    name: 'unique among 4,000 objects',
    schema: about({ uniqueItems: true }),
    value: () => many(4_000, (id) => ({ id })),
    status: 200,
  },
  {
    name: 'unique among 30,000 objects',
    schema: about({ uniqueItems: true }),
    value: () => many(30_000, (id) => ({ id })),
    status: 400,
    message: /steps to check/,
  },
  {
    name: 'a url of 900 KB',
    schema: about({ format: 'url' }),
    value: () => `http://${'a'.repeat(900_000)}`,
    status: 400,
    message: /must have the format/,
  },
  {
    name: '500 urls that take long',
    schema: about({ items: { format: 'url' } }),
    value: () => many(500, () => `${'http://a'.repeat(250)} `),
    status: 400,
    message: /steps to check/,
  },
  {
    name: '900 properties',
    schema: { properties: named(900, () => ({ type: 'string' })) },
    value: () => 'x',
    status: 200,
  },
  {
    name: 'names of 40,000 properties',
    schema: about({ propertyNames: { pattern: '^[a-z]+$' } }),
    value: () => named(40_000, () => 1),
    status: 400,
    message: /steps to check/,
  },
  {
    name: 'required names missing in every item',
    schema: about({ items: { required: many(2_000, (index) => `n${index}`) } }),
    value: () => many(10_000, () => ({})),
    status: 400,
    message: /steps to check/,
  },
  {
    name: '900 alternatives',
    schema: about({ anyOf: many(900, (index) => ({ const: index })) }),
    value: () => 'x',
    status: 400,
    message: /must be 0/,
  },
  {
    name: '90,000 wrong items',
    schema: about({ items: { type: 'integer' } }),
    value: () => many(90_000, () => 'x'),
    status: 400,
    message: /must be an integer/,
  },
  {
    name: 'recursion that doubles at each level',
    schema: about({ allOf: [{ $ref: '#' }, { $ref: '#' }] }),
    value: () => JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`),
    status: 400,
    message: /steps to check/,
  },
  {
    name: 'recursion on nested data',
    schema: about({ $ref: '#' }),
    value: () => JSON.parse(`${'{"a":'.repeat(150)}{}${'}'.repeat(150)}`),
    status: 200,
  },
  {
    name: 'an enum whose values are long',
    schema: about({ enum: many(200, (index) => `${index}${'x'.repeat(1_000)}`) }),
    value: () => 'x',
    status: 400,
    message: /must be one of/,
  },
]

/** Schemas of requests, and values that are checked with them. */
export const SCHEMAS: readonly HttpRow[] = [
  ...REFUSED_SCHEMAS.flatMap(({ name, schema, message }) => [
    refusal(`as parameters: ${name}`, '/api/render', message, {
      prompt: { userPrompt: 'x', parameters: schema },
      variables: { a: 'x' },
    }),
    refusal(`as returns: ${name}`, '/api/chat', message, {
      model: 'echo',
      prompt: { userPrompt: 'x', returns: { type: 'object', ...(schema as object) } },
      structured: true,
    }),
  ]),
  ...DEAR_VALUES.map(({ name, schema, value, status, message }) => ({
    name,
    path: '/api/render',
    body: () => ({ prompt: { userPrompt: 'x', parameters: schema }, variables: { a: value() } }),
    status,
    ...(message !== undefined && { message }),
  })),
]

function refusal(name: string, path: string, message: RegExp, body: object): HttpRow {
  return { name, path, body: () => body, status: 400, code: 'invalid_prompt', message }
}
