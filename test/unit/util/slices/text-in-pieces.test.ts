import { describe, expect, it } from 'vitest'
import { runNow } from '../../../../src/util/slices/sliced.js'
import { textInPieces } from '../../../../src/util/slices/text-in-pieces.js'

describe('text in pieces', () => {
  it.each([
    '',
    'abc',
    'é'.repeat(200_000),
    `a${'é'.repeat(200_000)}`,
    `ab${'今'.repeat(90_000)}`,
    '🙂'.repeat(90_001),
  ])('is the text of the bytes', (text) => {
    expect(runNow(textInPieces(Buffer.from(text)))).toBe(text)
  })

  it('has a mark for what is no text, also at its end', () => {
    const bytes = Buffer.concat([Buffer.from('é'.repeat(50_000)), Buffer.from([0xff, 0x61, 0xe4, 0xbb])])
    expect(runNow(textInPieces(bytes))).toBe(bytes.toString())
  })

  it('stops in between', () => {
    expect([...textInPieces(Buffer.alloc(200_000, 'x'))]).toHaveLength(4)
  })
})
