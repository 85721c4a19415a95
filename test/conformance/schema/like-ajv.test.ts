import { Ajv } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileSchema } from '../../../src/schema/json-schema.js'
import type { JsonObject, JsonValue } from '../../../src/util/json/json.js'
import { someRuns } from '../../support/some-runs.js'

const RUNS = someRuns(1_000)
const DIALECTS = [
  ['draft-07', Ajv, undefined],
  ['2019-09', Ajv2019, 'https://json-schema.org/draft/2019-09/schema'],
  ['2020-12', Ajv2020, 'https://json-schema.org/draft/2020-12/schema'],
] as const

/** Without `__proto__`, which ajv does not check as a property. */
const name = fc.constantFrom('a', 'b', 'cc', 'constructor')
const scalar = fc.constantFrom<JsonValue>(
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  3,
  '',
  'a',
  'ab',
  '💩',
  'a@b.c',
  '2024-02-30',
)
/** Of a list or an object under `constructor`, ajv says that it is not equal to another that says the same. */
const isComparable = (members: { readonly [name: string]: JsonValue }) =>
  !Object.hasOwn(members, 'constructor') || typeof members['constructor'] !== 'object'
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }).filter(isComparable),
  ),
}))

const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object')
const count = fc.integer({ min: 0, max: 3 })
const names = fc.uniqueArray(name, { maxLength: 3 })

function schemas(dialect: string): fc.Arbitrary<JsonValue> {
  const { schema } = fc.letrec<{ schema: JsonValue }>((tie) => {
    const inner = tie('schema')
    const list = fc.array(inner, { minLength: 1, maxLength: 3 })
    const map = fc.dictionary(name, inner, { maxKeys: 3, noNullPrototype: true })
    const common = {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      enum: fc.uniqueArray(value, { minLength: 1, maxLength: 4, selector: (item) => JSON.stringify(item) }),
      const: value,
      minimum: count,
      exclusiveMaximum: count,
      multipleOf: fc.constantFrom(1, 2, 0.5),
      minLength: count,
      maxLength: count,
      pattern: fc.constantFrom('^a', 'b$', '^(a|aa)+$', '[^a]'),
      format: fc.constantFrom('email', 'date', 'ipv4', 'unknown', 'uri'),
      minItems: count,
      maxItems: count,
      uniqueItems: fc.boolean(),
      contains: inner,
      minProperties: count,
      maxProperties: count,
      required: names,
      properties: map,
      patternProperties: fc.dictionary(fc.constantFrom('^a', 'c'), inner, {
        maxKeys: 2,
        noNullPrototype: true,
      }),
      additionalProperties: inner,
      propertyNames: inner,
      dependencies: fc.dictionary(name, fc.oneof(inner, names), { maxKeys: 2, noNullPrototype: true }),
      allOf: list,
      anyOf: list,
      oneOf: list,
      not: inner,
      if: inner,
      // biome-ignore lint/suspicious/noThenProperty: the keyword has this name
      then: inner,
      else: inner,
    }
    const newer = {
      minContains: count,
      maxContains: count,
      dependentRequired: fc.dictionary(name, names, { maxKeys: 2, noNullPrototype: true }),
      dependentSchemas: map,
    }
    const items =
      dialect === '2020-12'
        ? { items: inner, prefixItems: list }
        : { items: fc.oneof(inner, list), additionalItems: inner }
    const keywords = { ...common, ...items, ...(dialect === 'draft-07' ? {} : newer) }
    const some = fc
      .subarray(Object.keys(keywords) as (keyof typeof keywords)[], { maxLength: 4 })
      .chain((chosen) =>
        fc.record(
          Object.fromEntries(chosen.map((each) => [each, keywords[each] as fc.Arbitrary<JsonValue>])),
        ),
      )
      .map(withoutEmptyLists)
    return {
      schema: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.boolean(),
        some as fc.Arbitrary<JsonValue>,
      ),
    }
  })
  return schema
}

/** ajv 8.20 takes an empty list for one that `contains` what the list before it contained: of those it is not asked. */
function withoutEmptyLists(schema: Record<string, JsonValue>): Record<string, JsonValue> {
  const { contains, minContains, minItems = 0 } = schema
  return contains === undefined || minContains === 0
    ? schema
    : { ...schema, minItems: Math.max(1, Number(minItems)) }
}

/** What the reference says; undefined where it fails itself, as it does on some schemas of 2019-09 and later. */
function answerOf(reference: (value: JsonValue) => unknown, value: JsonValue): boolean | undefined {
  try {
    return reference(value) === true
  } catch {
    return undefined
  }
}

describe.each(DIALECTS)('schemas of %s', (dialect, Dialect, uri) => {
  it('say of every value what ajv says', () => {
    const ajv = new Dialect({
      strict: false,
      allErrors: true,
      logger: false,
      ownProperties: true,
      addUsedSchema: false,
    })
    addFormats.default(ajv as Ajv)
    fc.assert(
      fc.property(schemas(dialect), fc.array(value, { minLength: 1, maxLength: 8 }), (schema, values) => {
        const whole: JsonObject = { ...(uri === undefined ? {} : { $schema: uri }), allOf: [schema] }
        const reference = ajv.compile(whole)
        const check = compileSchema(whole)
        for (const each of values) {
          const expected = answerOf(reference, each)
          if (expected !== undefined)
            expect([each, check(each).problems.length === 0]).toEqual([each, expected])
        }
      }),
      { numRuns: RUNS },
    )
  })
})

it('finds nothing in an empty list, whatever the list before it contains', () => {
  const check = compileSchema({ items: { contains: { type: 'null' } } })
  expect(
    [[[null]], [[null], []], [[], [null]], []].map((value) => check(value).problems.length === 0),
  ).toEqual([...[true, false, false, true]])
})
