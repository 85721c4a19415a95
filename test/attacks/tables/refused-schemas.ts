import { about, many, named, nested } from './schema-parts.js'

/** A schema that nobody may bring, and what is said of it. */
export interface RefusedSchema {
  readonly name: string
  readonly schema: unknown
  readonly message: RegExp
}

/** Every definition uses the next one twice. */
const doubling = {
  ...about({ $ref: '#/definitions/n0' }),
  definitions: named(27, (index) =>
    index === 26
      ? { type: 'string' }
      : { allOf: [{ $ref: `#/definitions/n${index + 1}` }, { $ref: `#/definitions/n${index + 1}` }] },
  ),
}

/** Schemas that are refused wherever they come from. */
export const REFUSED_SCHEMAS: readonly RefusedSchema[] = [
  {
    name: '$async',
    schema: { $async: true, ...about({ type: 'string' }) },
    message: /\$async: asynchronous/,
  },
  {
    name: '$async inside',
    schema: about({ allOf: [{ $async: true }] }),
    message: /properties.a.allOf.0.\$async/,
  },
  {
    name: '$data',
    schema: about({ minimum: { $data: '1/b' } }),
    message: /minimum.\$data: references to data/,
  },
  {
    name: 'a remote $ref',
    schema: about({ $ref: 'http://a.example/s.json' }),
    message: /only what is in the schema/,
  },
  {
    name: 'a $ref to the meta-schema',
    schema: about({ $ref: 'http://json-schema.org/draft-07/schema#' }),
    message: /only what is in/,
  },
  { name: 'a $ref to nowhere', schema: about({ $ref: '#/definitions/b' }), message: /not in the schema/ },
  { name: 'a $dynamicRef', schema: about({ $dynamicRef: '#a' }), message: /dynamic references/ },
  { name: 'a circle', schema: about({ allOf: [{ $ref: '#/properties/a' }] }), message: /refers to itself/ },
  {
    name: 'a look-ahead',
    schema: about({ pattern: '(?=a)b' }),
    message: /not a regular expression of linear time/,
  },
  {
    name: '1,000 patterns',
    schema: about({ allOf: many(1_000, (index) => ({ pattern: `a{1,9}${index}` })) }),
    message: /more than 50/,
  },
  {
    name: 'a large pattern',
    schema: about({ pattern: '(\\p{L}|\\p{N}){1000}(a|b){1000}(c|d){1000}' }),
    message: /instructions|linear time/,
  },
  { name: '26 definitions, each of two of the next', schema: doubling, message: /at most 20000 parts/ },
  {
    name: '20,000 properties',
    schema: { properties: named(20_000, () => true) },
    message: /at most (2000 keywords|256 KiB)/,
  },
  {
    name: '20,000 constants',
    schema: about({ anyOf: many(20_000, (index) => ({ const: index })) }),
    message: /at most (2000 keywords|256 KiB)/,
  },
  {
    name: 'an enum of 6,000',
    schema: about({ enum: many(6_000, (index) => index) }),
    message: /more than 5000/,
  },
  {
    name: '300 KiB of description',
    schema: { description: 'x'.repeat(300_000) },
    message: /at most 256 KiB/,
  },
  {
    name: 'schemas nested 80 deep',
    schema: about(nested(80, (inner) => ({ not: inner }))),
    message: /nested deeper than 64/,
  },
  {
    name: 'a type nobody knows',
    schema: about({ type: 'objekt' }),
    message: /properties.a.type must be one/,
  },
]
