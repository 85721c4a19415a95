import { describe, expect, it } from 'vitest'
import { lowerRune, toLower, toUpper, upperRune } from '../../../../src/template/library/letter-case.js'
import { someOf } from '../../../support/some-of.js'

/** Every code point that is a character. */
const CODES = Array.from({ length: 0x110000 }, (_, code) => code).filter(
  (code) => code < 0xd800 || code > 0xdfff,
)
const CHARACTERS = someOf(CODES).map((code) => String.fromCodePoint(code))

/** Which characters a function makes something else of than rune by rune. */
function others(ofText: (text: string) => string, ofRune: (rune: string) => string): readonly string[] {
  const before = ofText('a')
  // A letter before it: what JavaScript writes otherwise at the end of a word.
  return CHARACTERS.filter((each) => ofText(`a${each}`) !== before + ofRune(each))
}

describe('letter case', () => {
  it('of a text is that of its runes, for every character', () => {
    expect(others(toUpper, upperRune)).toEqual([])
    expect(others(toLower, lowerRune)).toEqual([])
  })

  it.each([
    { name: 'upper', ofText: toUpper, ofRune: upperRune, other: 'ß' },
    { name: 'lower', ofText: toLower, ofRune: lowerRune, other: 'İ' },
  ])(
    '$name of all of them at once is the same, where JavaScript writes one otherwise',
    ({ ofText, ofRune, other }) => {
      const all = [other, ...CHARACTERS, other]
      for (let start = 0; start < all.length; start += 60_000) {
        const runes = [other, ...all.slice(start, start + 60_000)]
        expect(ofText(runes.join('')) === runes.map(ofRune).join('')).toBe(true)
      }
    },
  )

  it.each([
    ['a\ud800ß', 'A\ufffdß'],
    ['ß\0é\u{10428}\u{10428}ΰ\u{10428}', 'ß\0É\u{10400}\u{10400}ΰ\u{10400}'],
  ])('of %j is %j', (text, upper) => {
    expect(toUpper(text)).toBe(upper)
  })
})
