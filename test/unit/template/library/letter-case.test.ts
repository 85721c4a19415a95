import { describe, expect, it } from 'vitest'
import { lowerRune, toLower, toUpper, upperRune } from '../../../../src/template/library/letter-case.js'
import { someOf } from '../../../support/some-of.js'

/** Every character that is one. */
const CHARACTERS = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))

/** Which characters a function makes something else of than rune by rune. */
function others(ofText: (text: string) => string, ofRune: (rune: string) => string): readonly string[] {
  const before = ofText('a')
  // A letter before it: what JavaScript writes otherwise at the end of a word.
  return someOf(CHARACTERS).filter((each) => ofText(`a${each}`) !== before + ofRune(each))
}

describe('letter case', () => {
  it('of a text is that of its runes, for every character', () => {
    expect(others(toUpper, upperRune)).toEqual([])
    expect(others(toLower, lowerRune)).toEqual([])
  })
})
