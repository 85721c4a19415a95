import { describe, expect, it } from 'vitest'
import { isJsonObject, type JsonObject } from '../../../../src/util/json/json.js'
import { JsonScanner } from '../../../../src/util/json/json-scanner.js'
import { knownCount, namesOf } from '../../../../src/util/json/names-of.js'
import { parseInPieces } from '../../../../src/util/json/parse-in-pieces.js'
import { runNow } from '../../../../src/util/slices/sliced.js'
import { createRandom } from '../../../support/random.js'
import { someRuns } from '../../../support/some-runs.js'

const UNBOUNDED = { maxValues: Number.POSITIVE_INFINITY, maxDepth: 200 }
const many = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index)).join(',')

interface Parsed {
  /** JSON with the digits of all integers, or what was thrown. */
  readonly said: string
  readonly pieces: number
}

function parsed(text: string): Parsed {
  const scanner = new JsonScanner(text, UNBOUNDED)
  scanner.advance(text.length)
  let pieces = 0
  try {
    const work = parseInPieces(text, scanner)
    for (let step = work.next(); ; step = work.next(), pieces += 1)
      if (step.done === true) return { said: digits(step.value), pieces }
  } catch (error) {
    return { said: String(error), pieces }
  }
}

function digits(value: unknown): string {
  return JSON.stringify(value, (_name, part) => (typeof part === 'bigint' ? `${part}` : part))
}

/** What the native parser makes of it. */
function native(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch (error) {
    return String(error)
  }
}

const LARGE: readonly (readonly [name: string, text: string])[] = [
  ['a list of numbers', `[${many(30_000, String)}]`],
  ['an object of many names', `{${many(30_000, (index) => `"k${index}":${index}`)}}`],
  [
    'names that come twice, and numbers as names',
    `{${many(30_000, (index) => `"${index % 7_000}":${index}`)}}`,
  ],
  [
    'names with a meaning',
    `{${many(9_000, (index) => `"k${index}":0`)},"__proto__":{"a":1},"constructor":2}`,
  ],
  [
    'large ones in large ones',
    ` {"a" : [ ${many(9_000, String)} ] , "b":{"c":[${many(9_000, () => '{"d":[1]}')}],"e":"]}"}, "f":1 } `,
  ],
  ['a large one after small ones', `[1,"\\",[",{"a":[]},[${many(20_000, () => 'null')}],2]`],
  ['texts with brackets and quotes', `[${many(20_000, () => '"\\\\\\"[{,"')}]`],
  ['long texts', `[${many(10_000, () => `"${'x'.repeat(100)}"`)}]`],
]

describe('parseInPieces', () => {
  it('looks for what holds much only where it may be', () => {
    const found = (text: string) => new JsonScanner(text, UNBOUNDED).largeContainers
    expect(found(`[${'1,'.repeat(4_000)}1]`)).toBeUndefined()
    expect(found(`[${'1,'.repeat(9_000)}1]`)).toBeDefined()
  })

  it.each(LARGE)('makes of %s what the native parser makes of it, in pieces', (_name, text) => {
    const { said, pieces } = parsed(text)
    expect(said).toBe(native(text))
    expect(pieces).toBeGreaterThan(1)
  })

  it('keeps the digits of large integers, wherever they stand', () => {
    const large = '12345678901234567890'
    const text = `{"a":[${many(9_000, (index) => (index % 3 === 0 ? large : '1'))}],"b":${large}}`
    expect(parsed(text).said).toBe(native(text.replaceAll(large, `"${large}"`)))
  })

  it('writes the marks of large integers into a text and parses it in two steps', () => {
    expect(parsed('{"a":12345678901234567}')).toEqual({ said: '{"a":"12345678901234567"}', pieces: 1 })
  })

  it('parses small texts in one piece', () => {
    expect(parsed('{"a":[1,2]}')).toEqual({ said: '{"a":[1,2]}', pieces: 0 })
  })

  it.each([
    ['a comma too many', `[${many(9_000, String)},]`],
    ['two commas', `[${many(9_000, String)},,${many(9_000, String)}]`],
    ['a comma at the beginning', `[,${many(9_000, String)}]`],
    ['a missing comma', `[[${many(9_000, String)}] 1]`],
    ['no colon', `{"a" [${many(9_000, String)}]}`],
    ['a sign before a list', `{"a":-[${many(9_000, String)}]}`],
    ['a name in a list', `["a":[${many(9_000, String)}]]`],
    ['another bracket at the end', `[${many(9_000, String)}}`],
    ['brackets that cross', `{"a":[${many(9_000, String)}},"b":1]`],
    ['something behind the end', `[${many(9_000, String)}] 1`],
    ['an object without names', `{${many(9_000, String)}}`],
    ['no end', `[[${many(9_000, String)}]`],
  ])('says where %s stands', (_name, text) => {
    expect(native(text)).toMatch(/^SyntaxError/)
    expect(parsed(text).said).toMatch(/^JsonSyntaxError: Unexpected .* at line 1, column \d+$/)
  })

  it('looks in pieces for what is wrong with a text of many lines', () => {
    const text = `[${many(20_000, (index) => `\n${index}`)},\n  x]`
    expect(parsed(text).said).toBe(
      'JsonSyntaxError: Unexpected "x", expected a value at line 20002, column 3',
    )
  })

  it('makes of any text what the native parser makes of it', () => {
    const random = createRandom(20_261)
    for (let round = 0; round < someRuns(150); round += 1) {
      const [, text] = random.pick(LARGE)
      const place = random.below(text.length)
      const piece = random.pick(['', ',', '[', ']', '{', '}', '"', ':', '1', '\\'])
      const changed = text.slice(0, place) + piece + text.slice(place + random.below(2))
      const said = native(changed)
      if (said.startsWith('SyntaxError')) expect(parsed(changed).said).toMatch(/^(Json)?SyntaxError/)
      else expect(parsed(changed).said).toBe(said)
    }
  })
})

describe('names of a large object that was parsed in pieces', () => {
  const parsedValue = (text: string) => {
    const scanner = new JsonScanner(text, UNBOUNDED)
    scanner.advance(text.length)
    return runNow(parseInPieces(text, scanner)) as JsonObject
  }
  const COUNT = 20_000
  it.each([
    ['different ones', many(COUNT, (index) => `"n${index}":${index}`), true],
    [
      'some again',
      `${many(COUNT, (index) => `"n${index}":1`)},"n7":2,"n9":[${many(9_000, () => '1')}]`,
      true,
    ],
    ['numbers among them', `${many(COUNT, (index) => `"n${index}":1`)},"12":1,"7":2,"12":3`, true],
    ['numbers', many(COUNT, (index) => `"${COUNT - index}":1`), true],
    ['__proto__', `"__proto__":1,${many(COUNT, (index) => `"n${index}":1`)}`, true],
    ['in another one', `"a":{${many(COUNT, (index) => `"n${index}":1`)}}`, false],
    ['few', many(10, (index) => `"n${index}":1`), false],
  ])('%s: are those of the object, in its order', (_, members, isKnown) => {
    const value = parsedValue(`{${members}}`)
    expect(namesOf(value)).toEqual(Object.keys(value))
    expect(knownCount(value)).toBe(isKnown ? Object.keys(value).length : undefined)
    for (const inner of Object.values(value)) if (isJsonObject(inner)) expect(knownCount(inner)).toBe(COUNT)
  })
})
