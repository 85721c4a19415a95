import { describe, expect, it } from 'vitest'
import {
  isTypeName,
  normaliseParameters,
  normaliseReturns,
  schemaType,
} from '../../../src/registry/normalise-parameters.js'
import type { JsonValue } from '../../../src/util/json/json.js'

const read = (value: JsonValue | undefined) => normaliseParameters('invalid_prompt', 'parameters', value)
const properties = (entry: JsonValue) => ({ type: 'object', properties: { q: entry } })

describe('normaliseParameters', () => {
  it.each<[string, JsonValue | undefined, JsonValue]>([
    ['nothing', undefined, { type: 'object', properties: {} }],
    ['null', null, { type: 'object', properties: {} }],
    ['an empty list', [], { type: 'object', properties: {} }],
    ['an entry', [{ name: 'q', type: 'Int' }], { ...properties({ type: 'integer' }), required: ['q'] }],
    ['an entry of any type', [{ name: 'q', type: 'any' }], { ...properties({}), required: ['q'] }],
    ['a default', [{ name: 'q', default: 1 }], properties({ default: 1 })],
    ['an optional one', [{ name: 'q', required: false }], properties({})],
    [
      'a name of every object',
      [{ name: '__proto__', required: false }],
      JSON.parse('{"type":"object","properties":{"__proto__":{}}}'),
    ],
    ['a schema', { type: 'object', required: ['q'] }, { type: 'object', required: ['q'] }],
    ['a schema without its type', { required: ['q'] }, { type: 'object', required: ['q'] }],
    ['a foreign keyword', { 'x-a': 1 }, { 'x-a': 1, type: 'object' }],
  ])('reads %s', (_name, value, expected) => {
    expect(read(value)).toEqual(expected)
  })

  it.each<[string, JsonValue, RegExp]>([
    ['a text', 'q', /must be a list or a JSON Schema object/],
    ['an entry without a name', [{ type: 'int' }], /\[0\] must be an object with a name/],
    ['a name twice', [{ name: 'q' }, { name: 'q' }], /\[1\] repeats the name q/],
    ['a schema of a list', { type: 'array' }, /must describe an object, not array/],
    ['names without keywords', { q: 'string' }, /has only the names q/],
  ])('refuses %s', (_name, value, message) => {
    expect(() => read(value)).toThrow(message)
  })
})

describe('normaliseReturns', () => {
  it.each<[JsonValue | undefined, JsonValue | undefined]>([
    [undefined, undefined],
    [null, undefined],
    [[], undefined],
    [{ type: 'array' }, { type: 'array' }],
    [[{ name: 'q', required: false }], properties({})],
  ])('reads %j as %j', (value, expected) => {
    expect(normaliseReturns('invalid_prompt', value)).toEqual(expected)
  })
})

describe('names of types', () => {
  it.each([
    ['', undefined, true],
    ['Text', 'string', true],
    ['double', 'number', true],
    ['any', undefined, true],
    ['date', undefined, false],
    ['constructor', undefined, false],
  ])('%j is %j', (name, type, known) => {
    expect(schemaType(name)).toBe(type)
    expect(isTypeName(name)).toBe(known)
  })
})
