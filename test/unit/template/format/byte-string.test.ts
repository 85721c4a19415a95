import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  byteLength,
  compareStrings,
  equalStrings,
  needsBytes,
  normalizeBytes,
  runeCount,
  sliceBytes,
  sortedKeys,
  sortStrings,
  toBytes,
  wellFormed,
} from '../../../../src/template/format/byte-string.js'
import { fromBytes } from '../../../../src/template/format/from-bytes.js'
import { anyCharacter } from '../../../support/any-character.js'

describe('Go strings', () => {
  it('keep any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = fromBytes(bytes)
        expect(toBytes(text)).toEqual(bytes)
        expect(byteLength(text)).toBe(bytes.length)
      }),
    )
  })

  it('cut anywhere and join again', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.nat(), (text, at) => {
        const whole = normalizeBytes(text)
        const cut = at % (byteLength(whole) + 1)
        const joined = sliceBytes(whole, 0, cut) + sliceBytes(whole, cut, byteLength(whole))
        expect(normalizeBytes(joined)).toBe(whole)
        expect(equalStrings(joined, whole)).toBe(true)
      }),
    )
  })

  it.each([0, 3_000])('are cut between any two bytes, behind %i others', (length) => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.nat(), fc.nat(), (text, one, other) => {
        const whole = '汉'.repeat(length) + text + '！'.repeat(length)
        const size = byteLength(whole)
        const [start = 0, end = 0] = [one % (size + 1), other % (size + 1)].sort((a, b) => a - b)
        expect(sliceBytes(whole, start, end)).toBe(fromBytes(toBytes(whole), start, end))
        expect(sliceBytes(whole, start)).toBe(fromBytes(toBytes(whole), start))
      }),
      { numRuns: length === 0 ? 1_000 : 100 },
    )
  })

  it('order by their bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (left, right) => {
        const order = Math.sign(compareStrings(fromBytes(left), fromBytes(right)))
        expect(order).toBe(Buffer.compare(left, right))
      }),
    )
  })

  it('count stray bytes as runes', () => {
    expect(runeCount('é😀\udcc3')).toBe(3)
  })

  it('sort keys as Go prints maps', () => {
    const keys = ['a', 'B', '10', '9', '😀', '～', 'é']
    const map = Object.fromEntries(keys.map((key) => [key, 1]))
    expect(sortedKeys(map)).toEqual(['10', '9', 'B', 'a', 'é', '～', '😀'])
  })

  it('sort as their bytes do, whatever is among them', () => {
    const unit = fc.constantFrom('a', 'é', '汉', '\ud7ff', '\ue000', '！', '😀', '\ud800', '\udc80', '\udfff')
    fc.assert(
      fc.property(fc.array(fc.string({ unit, maxLength: 30 }), { maxLength: 30 }), (texts) => {
        const byBytes = (left: string, right: string) => Buffer.compare(toBytes(left), toBytes(right))
        expect(sortStrings([...texts]).map(toBytes)).toEqual(texts.toSorted(byBytes).map(toBytes))
      }),
      { numRuns: 1_000 },
    )
  })

  it.each([
    ['ASCII', ['b', 'a'], false],
    ['full-width', ['！', 'a', '汉'], false],
    ['in pairs', ['😀', 'a', '汉'], false],
    ['in pairs and full-width', ['😀', '！'], true],
    ['both in one', ['！😀'], true],
    ['not well-formed', ['\ud800'], true],
    ['a byte', ['\udc80', 'a'], true],
  ])('are encoded to be sorted only where that makes a difference: %s', (_name, texts, isEncoded) => {
    expect(needsBytes(texts)).toBe(isEncoded)
    expect(needsBytes(texts.map((text) => 'x'.repeat(30) + text))).toBe(isEncoded)
  })

  it('sort few keys as many', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 14 }), (keys) => {
        const sorted = sortedKeys(Object.fromEntries(keys.map((key) => [key, 1])))
        expect(sorted).toEqual(keys.toSorted(compareStrings))
      }),
    )
  })
})

describe('wellFormed', () => {
  it('is toWellFormed, wherever pairs, halves of pairs and stray bytes meet the border of two pieces', () => {
    const ends = ['a', '汉', '😀', '\ud83d', '\ude00', '\udcff', '\ud83d\ud83d\ude00', '\ude00\ud83d']
    for (const piece of ends) {
      for (const before of [16_381, 16_382, 16_383, 16_384, 32_767]) {
        const text = `${'b'.repeat(before)}${piece}${piece}${'c'.repeat(20_000)}${piece}`
        expect(
          wellFormed(text) === normalizeBytes(text).toWellFormed(),
          `${JSON.stringify(piece)} at ${before}`,
        ).toBe(true)
      }
    }
  })
})
