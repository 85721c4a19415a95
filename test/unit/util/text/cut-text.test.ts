import { describe, expect, it } from 'vitest'
import { cutText } from '../../../../src/util/text/cut-text.js'

describe('a text in pieces', () => {
  it.each([
    ['an empty text', '', [0]],
    ['one character', 'x', [1]],
    ['a text of one piece', 'x'.repeat(4_096), [4_096]],
    ['one character more', 'x'.repeat(4_097), [4_096, 1]],
    ['pairs of surrogates that end with a piece', '🙂'.repeat(5_000), [4_096, 4_096, 1_808]],
    ['a pair that a piece would cut', `a${'🙂'.repeat(5_000)}`, [4_097, 4_096, 1_808]],
  ])('cuts %s between characters, and loses none', (_name, text, lengths) => {
    const pieces = cutText(text)
    expect(pieces.map(({ length }) => length)).toEqual(lengths)
    expect(pieces.join('')).toBe(text)
    expect(pieces.filter((piece) => !piece.isWellFormed())).toEqual([])
  })
})
