import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AttackedService, attack, startAttackedService } from './support/attack.js'
import { LOOP_BOUND_MS } from './support/loop-bound.js'

let service: AttackedService

beforeAll(async () => {
  service = await startAttackedService()
})

afterAll(async () => {
  expect(await service.stop()).toBe(0)
})

type Json = unknown
const many = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, i) => make(i))
const named = (count: number, make: (index: number) => Json) =>
  Object.fromEntries(many(count, (index) => [`n${index}`, make(index)]))
const about = (schema: Json) => ({ properties: { a: schema } })
const each = (items: Json) => about({ items })
const nested = (count: number, wrap: (inner: Json) => Json) => {
  let schema: Json = {}
  for (let level = 0; level < count; level += 1) schema = wrap(schema)
  return schema
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

const REFUSED: readonly { readonly name: string; readonly schema: Json; readonly message: RegExp }[] = [
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
    message: /no regular expression of linear time/,
  },
  {
    name: '1,000 patterns',
    schema: about({ allOf: many(1_000, (index) => ({ pattern: `a{1,9}${index}` })) }),
    message: /more than 100/,
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
    message: /at most (5000 keywords|256 KiB)/,
  },
  {
    name: '20,000 constants',
    schema: about({ anyOf: many(20_000, (index) => ({ const: index })) }),
    message: /at most (5000 keywords|256 KiB)/,
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

describe('schemas of a request that are refused', () => {
  it.each(REFUSED)('as parameters: $name', async ({ schema, message }) => {
    const prompt = { userPrompt: 'x', parameters: schema }
    const answer = await attack({ service, path: '/api/render', body: { prompt, variables: { a: 'x' } } })
    expect([answer.status, answer.body.error?.code]).toEqual([400, 'invalid_prompt'])
    expect(answer.body.error.message).toMatch(message)
    expect(answer.longestBusyMs).toBeLessThan(LOOP_BOUND_MS)
  })

  it.each(REFUSED)('as returns: $name', async ({ schema, message }) => {
    const prompt = { userPrompt: 'x', returns: { type: 'object', ...(schema as object) } }
    const answer = await attack({
      service,
      path: '/api/chat',
      body: { model: 'echo', prompt, structured: true },
    })
    expect([answer.status, answer.body.error?.code]).toEqual([400, 'invalid_prompt'])
    expect(answer.body.error.message).toMatch(message)
  })
})

interface Check {
  readonly name: string
  readonly schema: Json
  readonly value: () => Json
  readonly status: number
  readonly message?: RegExp
}

const CHECKED: readonly Check[] = [
  {
    name: 'a pattern of nested repetitions',
    schema: about({ pattern: '^(a+)+$' }),
    value: () => `${'a'.repeat(40)}!`,
    status: 400,
    message: /must match pattern/,
  },
  {
    name: 'a pattern with two ways on 3.8 MB',
    schema: about({ pattern: '^(a|aa)+b$' }),
    value: () => 'a'.repeat(3_800_000),
    status: 400,
    message: /steps to check/,
  },
  {
    name: 'an enum of 5,000 for 20,000 items',
    schema: each({ enum: many(5_000, (index) => `v${index}`) }),
    value: () => many(20_000, (index) => `w${index}`),
    status: 400,
    message: /must be equal to one of/,
  },
  {
    name: 'unique among 15,000 objects',
    schema: about({ uniqueItems: true }),
    value: () => many(15_000, (id) => ({ id })),
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
    message: /must match format/,
  },
  {
    name: '500 urls that take long',
    schema: each({ format: 'url' }),
    value: () => many(500, () => `${'http://a'.repeat(250)} `),
    status: 400,
    message: /steps to check/,
  },
  {
    name: '2,400 properties',
    schema: { properties: named(2_400, () => ({ type: 'string' })) },
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
    schema: each({ required: many(2_000, (index) => `n${index}`) }),
    value: () => many(10_000, () => ({})),
    status: 400,
    message: /steps to check/,
  },
  {
    name: '4,000 alternatives',
    schema: about({ anyOf: many(4_000, (index) => ({ const: index })) }),
    value: () => 'x',
    status: 400,
    message: /must be equal to constant/,
  },
  {
    name: '90,000 wrong items',
    schema: each({ type: 'integer' }),
    value: () => many(90_000, () => 'x'),
    status: 400,
    message: /must be integer/,
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
    message: /must be equal to one of/,
  },
]

describe('values that are dear to check', () => {
  it.each(CHECKED)('$name', async ({ schema, value, status, message }) => {
    const body = { prompt: { userPrompt: 'x', parameters: schema }, variables: { a: value() } }
    const answer = await attack({ service, path: '/api/render', body })
    expect([answer.status, answer.body.error?.message]).toEqual([
      status,
      message === undefined ? undefined : expect.stringMatching(message),
    ])
    expect(answer.length).toBeLessThan(64_000)
    expect(answer.longestBusyMs).toBeLessThan(LOOP_BOUND_MS)
  })
})

describe('documents with such schemas', () => {
  it('are diagnosed and not served', async () => {
    const documents = Object.fromEntries(
      REFUSED.map(({ schema }, index) => [
        `templates/bad/p${index}.json`,
        { userPrompt: 'x', parameters: schema },
      ]),
    )
    const over = await startAttackedService({ ...documents, 'templates/good/p.json': { userPrompt: 'x' } })
    const { body } = await attack({ service: over, method: 'GET', path: '/api/prompts?limit=10000' })
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(['good.p'])
    expect(await over.stop()).toBe(0)
  })
})
