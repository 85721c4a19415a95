import { describe, expect, it } from 'vitest'
import { cutText } from '../../../../src/util/text/cut-text.js'

describe('a text in pieces', () => {
  it.each(['', 'x', 'x'.repeat(4_096), 'ab'.repeat(10_000), '🙂'.repeat(5_000), `a${'🙂'.repeat(5_000)}`])(
    'is whole again, and no character is cut',
    (text) => {
      const pieces = cutText(text)
      expect(pieces.join('')).toBe(text)
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(4_097)
        expect(piece.isWellFormed()).toBe(true)
      }
    },
  )
})
