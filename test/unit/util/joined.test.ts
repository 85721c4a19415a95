import { describe, expect, it } from 'vitest'
import { joined, joinedInPieces } from '../../../src/util/joined.js'
import { runNow } from '../../../src/util/slices/sliced.js'

const PIECES = ['a', '', 'bc'].map((text) => Buffer.from(text))

describe('bytes that came in pieces', () => {
  it.each([{ pieces: [] }, { pieces: PIECES.slice(0, 1) }, { pieces: PIECES }])(
    'are all of them, in order',
    ({ pieces }) => {
      const whole = Buffer.concat(pieces)
      expect(joined(pieces)).toEqual(whole)
      expect(runNow(joinedInPieces(pieces, whole.length))).toEqual(whole)
    },
  )

  it('are not copied when they came in one', () => {
    const [only] = PIECES
    expect(joined(PIECES.slice(0, 1))).toBe(only)
    expect(runNow(joinedInPieces(PIECES.slice(0, 1), 1))).toBe(only)
  })

  it('are copied piece by piece when they are many', () => {
    expect([...joinedInPieces(PIECES, 3)]).toHaveLength(PIECES.length)
  })
})
