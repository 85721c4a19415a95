import { describe, expect, it } from 'vitest'
import { compileSchema, describeVerdict } from '../../../src/schema/json-schema.js'
import type { JsonObject, JsonValue } from '../../../src/util/json/json.js'

const NEWEST = 'https://json-schema.org/draft/2020-12/schema'

interface Row {
  readonly name: string
  readonly schema: JsonObject
  readonly fits: readonly JsonValue[]
  readonly fails: readonly (readonly [JsonValue, string])[]
}

const ROWS: readonly Row[] = [
  {
    name: 'references to definitions, with siblings',
    schema: { $ref: '#/definitions/name', maxLength: 3, definitions: { name: { type: 'string' } } },
    fits: ['abc'],
    fails: [
      [1, 'must be a string'],
      ['abcd', 'must have at most 3 characters'],
    ],
  },
  {
    name: 'references to anchors, to escaped names and to the $id of the whole',
    schema: {
      $id: 'urn:x',
      allOf: [{ $ref: '#here' }, { $ref: 'urn:x#/definitions/a~1b%20c' }],
      definitions: { one: { $id: '#here', type: 'number' }, 'a/b c': { minimum: 2 } },
    },
    fits: [2],
    fails: [
      ['2', 'must be a number'],
      [1, 'must be at least 2'],
    ],
  },
  {
    name: 'recursion into the value',
    schema: { type: 'object', additionalProperties: { $ref: '#' } },
    fits: [{}, { a: { b: {} } }],
    fails: [[{ a: { b: 1 } }, 'value.a.b must be an object']],
  },
  {
    name: 'the same property names as prototypes',
    schema: { properties: { ['__proto__']: false }, required: ['constructor'] },
    fits: [{ constructor: 1 }],
    fails: [
      [{}, 'must have the property "constructor"'],
      [JSON.parse('{"constructor":1,"__proto__":1}'), 'must not be given'],
    ],
  },
  {
    name: 'large integers as numbers',
    schema: { type: 'integer', minimum: 5, enum: [12345678901234567890n, 7] },
    fits: [12345678901234567890n, 7],
    fails: [
      [12345678901234567891n, 'must be one of'],
      [3, 'must be at least 5'],
    ],
  },
  {
    name: 'characters, not code units',
    schema: { minLength: 2, maxLength: 2 },
    fits: ['💩💩', 'ab'],
    fails: [
      ['💩', 'at least 2'],
      ['💩💩💩', 'at most 2'],
    ],
  },
  {
    name: 'unevaluated properties, through alternatives that fit only',
    schema: {
      $schema: NEWEST,
      properties: { a: true },
      anyOf: [{ properties: { b: { type: 'string' } }, required: ['b'] }, { required: ['c'] }],
      unevaluatedProperties: false,
    },
    fits: [{ a: 1, b: 'x' }],
    fails: [[{ a: 1, b: 1, c: 1 }, 'must not have the property']],
  },
  {
    name: 'unevaluated items',
    schema: {
      $schema: NEWEST,
      prefixItems: [true],
      allOf: [{ prefixItems: [true, true] }],
      unevaluatedItems: false,
    },
    fits: [[1, 2]],
    fails: [[[1, 2, 3], 'must have at most 2 items']],
  },
]

describe('schemas', () => {
  it.each(ROWS)('check $name', ({ schema, fits, fails }) => {
    const check = compileSchema(schema)
    for (const value of fits) expect(check(value)).toEqual({ problems: [], omittedCount: 0 })
    for (const [value, message] of fails) expect(describeVerdict(check(value), 'value')).toContain(message)
  })

  it('are compiled once while they are in use', () => {
    const schema = { type: 'string' }
    expect(compileSchema(schema)).toBe(compileSchema(schema))
  })

  it('tell what is wrong in their own order, however few of their names an object has', () => {
    const wrong = { a: { type: 'string' }, b: {}, c: { type: 'string' }, d: {}, e: {} }
    const check = compileSchema({ properties: wrong, additionalProperties: false })
    for (const value of [
      { c: 1, x: 1, a: 1 },
      { e: 1, d: 1, c: 1, b: 1, a: 1, x: 1 },
    ]) {
      const told = check(value).problems.map(({ path, params }) => [...path, ...Object.values(params)].join())
      expect(told.map((each) => each[0])).toEqual(['a', 'c', 'x'])
    }
  })

  it('know nothing of the values before: not what they cost, and not what was wrong', () => {
    const check = compileSchema({ items: { anyOf: [{ type: 'number' }, { type: 'string' }] } })
    const long = Array.from({ length: 5_000 }, (_, index) => (index % 2 === 0 ? 'a' : 1))
    const wrong = check([null])
    const told = structuredClone(wrong)
    for (let round = 0; round < 20; round += 1) expect(check(long)).toEqual({ problems: [], omittedCount: 0 })
    expect({ ...wrong }).toMatchObject({ ...told })
    expect(check([null]).problems).toEqual(wrong.problems)
  })

  it('tell the first hundred problems and count the others', () => {
    const verdict = compileSchema({ items: { type: 'string' } })(Array.from({ length: 250 }, () => 1))
    expect([verdict.problems.length, verdict.omittedCount]).toEqual([100, 150])
    expect(describeVerdict(verdict, 'list')).toMatch(/^list.0 must be a string; .*; and 240 more$/)
  })
})
