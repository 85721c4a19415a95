import { describe, expect, it } from 'vitest'
import { mapArguments } from '../../../src/tools/map-arguments.js'
import { argumentProblem, prepareArguments } from '../../../src/tools/prepare-arguments.js'
import type { JsonObject, JsonValue } from '../../../src/util/json/json.js'

const parameters: JsonObject = {
  type: 'object',
  properties: {
    code: { type: 'string' },
    lines: { type: 'integer', default: 3 },
    options: { type: 'object', properties: { deep: { type: 'boolean', default: true } } },
  },
  required: ['code'],
  additionalProperties: false,
}

const prepare = (values: readonly JsonValue[], schema = parameters) =>
  prepareArguments(schema, mapArguments(schema, values))

describe('prepareArguments', () => {
  it.each([
    ['positions in declared order', ['x', 5], { code: 'x', lines: 5 }],
    ['defaults', ['x'], { code: 'x', lines: 3 }],
    ['one object as the arguments', [{ code: 'x', lines: 1 }], { code: 'x', lines: 1 }],
    ['null as not given', ['x', null], { code: 'x', lines: 3 }],
    ['defaults inside objects', ['x', 1, {}], { code: 'x', lines: 1, options: { deep: true } }],
    ['large integers', ['x', 9007199254740993n], { code: 'x', lines: 9007199254740993n }],
  ] as const)('takes %s', (_name, values, expected) => expect(prepare(values)).toEqual(expected))

  it.each([
    ['too many', ['x', 1, {}, 4], 'takes at most 3 (code, lines, options), got 4'],
    ['a missing one', [], 'arguments must have the property "code"'],
    ['a wrong type', [7], 'arguments.code must be a string'],
    ['an unknown name', [{ code: 'x', cod: 1 }], 'arguments must not have the property "cod"'],
    [
      'several mistakes at once',
      [{ code: 1, lines: 'a' }],
      'arguments.code must be a string; arguments.lines must be an integer',
    ],
  ] as const)('refuses %s', (_name, values, message) => expect(() => prepare(values)).toThrow(message))

  it('knows that a tool without parameters takes none', () => {
    expect(prepare([], { type: 'object' })).toEqual({})
    expect(() => prepare(['x'], { type: 'object' })).toThrow('takes no positional arguments, got 1')
  })

  it('keeps __proto__ as data', () => {
    const args = prepare([JSON.parse('{"__proto__":{"polluted":1}}')], { type: 'object' })
    expect(Object.keys(args)).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('schemas that other people wrote', () => {
  it.each([
    ['an unknown type', { type: 'objekt' }],
    ['a reference to elsewhere', { $ref: 'http://elsewhere/schema.json' }],
    ['a pattern without end', { properties: { a: { pattern: '(' } } }],
    ['a look-ahead', { properties: { a: { pattern: '(?=x)' } } }],
  ])('are refused with %s', (_name, schema) =>
    expect(() => prepare([{}], schema)).toThrow('does not compile'),
  )

  it('match patterns in linear time', () => {
    const schema = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
    // A backtracking engine would never return.
    expect(() => prepare([{ a: `${'a'.repeat(5_000)}!` }], schema)).toThrow('must match the pattern')
  })

  it('match Chinese ranges and named groups', () => {
    const schema = { properties: { a: { pattern: '^[\\u4e00-\\u9fa5]+(?<end>\\d)$' } } }
    expect(prepare([{ a: '你好1' }], schema)).toEqual({ a: '你好1' })
  })

  it('may share an $id, and may be of a newer draft', () => {
    const one = { $id: 'x', properties: { a: { type: 'string' } } }
    const other = { $id: 'x', properties: { a: { type: 'integer' } } }
    expect(prepareArguments(one, { a: 'x' })).toEqual({ a: 'x' })
    expect(prepareArguments(other, { a: 1 })).toEqual({ a: 1 })
    const newer = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: { a: { prefixItems: [{ type: 'string' }] } },
    }
    expect(() => prepareArguments(newer, { a: [1] })).toThrow('arguments.a.0 must be a string')
  })
})

describe('argumentProblem', () => {
  it.each<[string, JsonObject, JsonObject, string | undefined]>([
    ['nothing', parameters, { code: 'x' }, undefined],
    [
      'every violation',
      parameters,
      { code: 1, lines: 'a' },
      'args.code must be a string; args.lines must be an integer',
    ],
    ['a schema that does not compile', { type: 'nonsense' }, {}, "the tool's own schema is wrong: "],
  ])('says %s', (_name, schema, args, expected) => {
    const problem = argumentProblem({ parameters: schema }, args, 'args')
    if (expected === undefined) expect(problem).toBeUndefined()
    else expect(problem).toContain(expected)
  })

  it('fills in nothing', () => {
    const args = { code: 'x' }
    expect(argumentProblem({ parameters }, args)).toBeUndefined()
    expect(args).toEqual({ code: 'x' })
  })
})
