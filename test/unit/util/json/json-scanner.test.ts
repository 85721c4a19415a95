import { describe, expect, it } from 'vitest'
import { findJsonValue } from '../../../../src/registry/locate-json.js'
import { firstJson } from '../../../../src/util/json/first-json.js'
import { type JsonBounds, JsonScanner } from '../../../../src/util/json/json-scanner.js'

const LARGE = '12345678901234567890'
const UNBOUNDED = { maxValues: Number.POSITIVE_INFINITY, maxDepth: 1_000 }

function scanned(text: string, bounds: Partial<JsonBounds> = {}): JsonScanner {
  const scanner = new JsonScanner(text, { ...UNBOUNDED, ...bounds })
  scanner.advance(text.length)
  return scanner
}

const numbers = (count: number) => `[${'1,'.repeat(count - 1)}1]`

describe('JsonScanner', () => {
  it.each([
    ['1', 1],
    ['[]', 2],
    ['[1,2]', 3],
    ['{"a":1}', 3],
    ['{"a":[{}],"b":","}', 7],
    [LARGE, 10],
    [`[${LARGE},-${LARGE}]`, 21],
    [`{${LARGE} :1}`, 3],
  ])('counts in %j what it holds: %i', (text, held) => {
    expect(scanned(text).held).toBe(held)
  })

  it.each([
    ['[1,2]', { maxValues: 3 }],
    ['[[[[]]],[[]]]', { maxDepth: 4 }],
    ['[{},[1,2]]', { maxContainers: 3 }],
    ['7'.repeat(400), {}],
    ['[1e+99,-1e308]', {}],
  ])('takes %.20s within its bounds', (text, bounds) => {
    expect(scanned(text, bounds).isDone).toBe(true)
  })

  it.each([
    ['[1,2]', { maxValues: 2 }, 'has more than 2 values'],
    ['[[[[[]]]]]', { maxDepth: 4 }, 'is nested deeper than 4 levels'],
    ['[{},[1,2],[]]', { maxContainers: 3 }, 'has more than 3 lists and objects'],
    [']]]][[[[[', { maxDepth: 4 }, 'is nested deeper than 4 levels'],
    ['7'.repeat(401), {}, 'has a number of more than 400 digits'],
    ['[1e+400]', {}, 'has an invalid number: 1e+400'],
    ['[-1e400]', {}, 'has an invalid number: -1e400'],
  ])('refuses %.20s beyond them', (text, bounds, problem) => {
    expect(() => scanned(text, bounds)).toThrow(problem)
  })

  it('knows which list holds very much, and where it ends', () => {
    expect(scanned(numbers(8_193)).largeContainers).toEqual(new Map())
    const text = numbers(8_194)
    expect(scanned(text).largeContainers).toEqual(new Map([[0, text.length - 1]]))
  })
})

describe('the first object in other text', () => {
  it.each([
    ['x {"a":[{"b":[]}]} y', { text: '{"a":[{"b":[]}]}', complete: true, depth: 4 }],
    ['{"a":<b>[1]} {}', { text: '{"a":<b>[1]}', complete: true, depth: 2 }],
    ['{"a":"}', { text: '{"a":"}', complete: false, depth: 1 }],
    ['{"a":[[]],"b":{}}', { text: '{"a":[[]],"b":{}}', complete: true, depth: 3 }],
    ['[1]', undefined],
  ])('of %j is %j', (text, found) => {
    expect(firstJson(text)).toEqual(found)
  })
})

describe('the place of a value', () => {
  it.each([
    ['{"a":1,"a":2}', ['a'], '2'],
    ['{"a" : 1 , "b" :\n[ 1 , "x" ] }', ['b', 1], '"x"'],
    ['[1,2]', [2], undefined],
    ['[[],1]', [0, 0], undefined],
    ['{"a":1}', ['b'], undefined],
  ])('in %j at %j is that of %s', (text, path, value) => {
    const place = findJsonValue(text, path)
    expect(place && text.slice(place.start, place.end)).toBe(value)
  })
})
