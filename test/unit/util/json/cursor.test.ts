import { describe, expect, it } from 'vitest'
import { findJsonValue } from '../../../../src/registry/locate-json.js'
import { JsonByteBounds } from '../../../../src/transport/json-byte-bounds.js'
import {
  endOfString,
  JsonCursor,
  NO_MORE,
  STRUCTURE,
  skipBlank,
  stopsAt,
} from '../../../../src/util/json/cursor.js'
import { firstJson, JsonScan } from '../../../../src/util/json/first-json.js'
import { isJsonText } from '../../../../src/util/json/is-json-text.js'
import { readJson } from '../../../../src/util/json/json-reader.js'
import { JsonScanner } from '../../../../src/util/json/json-scanner.js'
import { damaged, drawnText, drawnValue, parsedNatively } from '../../../support/drawn-json.js'
import { createRandom } from '../../../support/random.js'
import { someRuns } from '../../../support/some-runs.js'

const UNBOUNDED = { maxValues: Number.POSITIVE_INFINITY, maxDepth: 1_000 }

/** Random JSON texts, whole and damaged. */
function texts(seed: number): readonly string[] {
  const random = createRandom(seed)
  return Array.from({ length: someRuns(400) }, () => {
    const text = drawnText(drawnValue(random), random)
    return random.below(2) === 0 ? text : damaged(text, random)
  })
}

/** What a cursor is to stop at, found character by character. */
function structureOf(text: string): readonly (readonly [at: number, character: string])[] {
  const found: (readonly [number, string])[] = []
  let [isInString, isEscaped] = [false, false]
  for (const [at, character] of text.split('').entries()) {
    if (isEscaped) isEscaped = false
    else if (character === '"') isInString = !isInString
    else if (isInString) isEscaped = character === '\\'
    else if ('[]{},:'.includes(character)) found.push([at + 1, character])
  }
  return found
}

function stopsOf(cursor: JsonCursor, text: string, end: number, before = 0) {
  const found: (readonly [number, string])[] = []
  for (let code = cursor.next(text, end); code !== NO_MORE; code = cursor.next(text, end))
    found.push([before + cursor.at, String.fromCharCode(code)])
  return found
}

describe('the cursor over JSON text', () => {
  it('stops at brackets, commas and colons outside of strings, in texts that are JSON and that are not', () => {
    for (const text of texts(1))
      expect(stopsOf(new JsonCursor(STRUCTURE), text, text.length)).toEqual(structureOf(text))
  })

  it('goes on at every place where it was left, and where its text is cut', () => {
    for (const text of texts(2)) {
      const all = structureOf(text)
      for (let cut = 0; cut <= text.length; cut += 1) {
        const left = new JsonCursor(STRUCTURE)
        expect([...stopsOf(left, text, cut), ...stopsOf(left, text, text.length)]).toEqual(all)
        const fed = new JsonCursor(STRUCTURE)
        const before = stopsOf(fed, text.slice(0, cut), cut)
        fed.at = 0
        expect([...before, ...stopsOf(fed, text.slice(cut), text.length - cut, cut)]).toEqual(all)
      }
    }
  })

  it('goes on where its text comes in pieces, empty ones among them', () => {
    const pieces = ['{"a', '\\', '', '"', '\\\\', '', '":', '"\\', '', '\\"', ',', '']
    const cursor = new JsonCursor(STRUCTURE)
    let before = 0
    const found = pieces.flatMap((piece) => {
      cursor.at = 0
      const stops = stopsOf(cursor, piece, piece.length, before)
      before += piece.length
      return stops
    })
    expect(found).toEqual(structureOf(pieces.join('')))
    expect(found).toHaveLength(3)
  })

  it.each([
    ['12345678', 5, 5],
    ['"12345678', 5, 9],
    ['"12345678"', 5, 10],
    [`"${'\\"'.repeat(100)}"`, 10, 11],
  ])('in %j, sent to %i, is left at %i and goes no further', (text, end, at) => {
    const cursor = new JsonCursor(STRUCTURE)
    expect(cursor.next(text, end)).toBe(NO_MORE)
    expect(cursor.at).toBe(at)
  })

  it('stops at what it is asked for', () => {
    const cursor = new JsonCursor(stopsAt('<-'))
    expect(stopsOf(cursor, '{"<":[-1]}<a', 12)).toEqual([
      [7, '-'],
      [11, '<'],
    ])
  })

  it.each([
    ['""', 0, 2],
    ['"a\\"b"c"', 0, 6],
    ['x"\\\\"y', 1, 5],
    ['"a\\"', 0, undefined],
    ['"', 0, undefined],
  ])('of %j, the string at %i ends at %j', (text, start, end) => {
    expect(endOfString(text, start)).toBe(end)
  })

  it.each([
    [' \t\r\n x', 0, 5],
    ['x', 0, 0],
    ['\u00a0', 0, 0],
    [' \u00a0x', 0, 1],
    ['a ', 1, 2],
    ['a', 5, 5],
  ])('of %j, the blanks at %i end at %i', (text, from, end) => {
    expect(skipBlank(text, from)).toBe(end)
  })
})

describe('what rides on it or beside it reads as JSON.parse does', () => {
  it('isJsonText and readJson take the same texts, and readJson makes the same of them', () => {
    const readOrNone = (text: string) => {
      try {
        return { value: readJson(text) }
      } catch (error) {
        if (error instanceof SyntaxError) return undefined
        throw error
      }
    }
    for (const text of texts(3)) {
      const native = parsedNatively(text)
      expect(isJsonText(text)).toBe(native !== undefined)
      expect(JSON.stringify(readOrNone(text))).toBe(JSON.stringify(native))
    }
  })

  it('an object in other text ends where the native parser takes it, wherever its text is cut', () => {
    const random = createRandom(4)
    for (let round = 0; round < someRuns(150); round += 1) {
      const text = drawnText({ a: drawnValue(random), b: drawnValue(random) }, random)
      const found = firstJson(`some ${text} more } "{`)
      expect(found).toMatchObject({ text, complete: true })
      expect(parsedNatively(found?.text ?? '')).toBeDefined()
      for (let cut = 0; cut < text.length; cut += 1) {
        const scan = new JsonScan()
        fedWhole(scan, text.slice(0, cut))
        expect(scan.done).toBe(false)
        fedWhole(scan, text.slice(cut))
        expect(scan.done).toBe(true)
      }
    }
  })

  it('every value is found where it is written, in texts that parse', () => {
    for (const text of texts(5)) {
      const native = parsedNatively(text)
      if (native === undefined) continue
      for (const [path, value] of placesIn(native.value)) {
        const { start, end } = findJsonValue(text, path) ?? expect.fail(`${path} of ${text}`)
        expect(JSON.parse(text.slice(start, end))).toEqual(value)
      }
    }
  })

  it('what a text holds is counted in characters and in bytes alike, in any pieces', () => {
    const random = createRandom(6)
    for (const text of texts(7)) {
      const held = structureOf(text).filter(([, character]) => ',:'.includes(character)).length
      const byBytes = (maxValues: number) => {
        const bounds = new JsonByteBounds({ maxBytes: 1e6, maxValues, maxDepth: 1_000 }, false)
        const bytes = Buffer.from(text)
        const cut = random.below(bytes.length + 1)
        return bounds.push(bytes.subarray(0, cut)) ?? bounds.push(bytes.subarray(cut))
      }
      expect(byBytes(held)).toBeUndefined()
      if (held > 0) expect(byBytes(held - 1)).toBe('maxValues')
      const whole = new JsonScanner(text, UNBOUNDED)
      whole.advance(text.length)
      const inPieces = new JsonScanner(text, UNBOUNDED)
      while (!inPieces.isDone) inPieces.advance(1 + random.below(5))
      expect([inPieces.held, inPieces.largeIntegers]).toEqual([whole.held, whole.largeIntegers])
    }
  })
})

/** Scans a text to its end: also behind each `<` at which a scan stops. */
function fedWhole(scan: JsonScan, text: string): void {
  for (let at = scan.scan(text, 0); !scan.done && at < text.length; at = scan.scan(text, at + 1));
}

type Place = readonly [path: readonly (string | number)[], value: unknown]

function placesIn(value: unknown, path: readonly (string | number)[] = []): readonly Place[] {
  const inside = Array.isArray(value)
    ? value.flatMap((item, index) => placesIn(item, [...path, index]))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, member]) => placesIn(member, [...path, name]))
      : []
  return [[path, value], ...inside]
}
