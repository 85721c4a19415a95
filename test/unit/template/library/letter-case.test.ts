import { describe, expect, it } from 'vitest'
import { lowerRune, toLower, toUpper, upperRune } from '../../../../src/template/library/letter-case.js'

/** Every character that is one. */
function* characters(): Generator<string> {
  for (let code = 0; code < 0x110000; code += 1)
    if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code)
}

/** Which characters a function makes something else of than rune by rune. */
function others(ofText: (text: string) => string, ofRune: (rune: string) => string): readonly string[] {
  // A letter before it: what JavaScript writes otherwise at the end of a word.
  return [...characters()].filter((each) => ofText(`a${each}`) !== ofText('a') + ofRune(each))
}

describe('letter case', () => {
  it('of a text is that of its runes, for every character', () => {
    expect(others(toUpper, upperRune)).toEqual([])
    expect(others(toLower, lowerRune)).toEqual([])
  })
})
