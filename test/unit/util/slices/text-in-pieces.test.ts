import { describe, expect, it } from 'vitest'
import { runNow } from '../../../../src/util/slices/sliced.js'
import {
  bytesInPieces,
  strictTextInPieces,
  textInPieces,
} from '../../../../src/util/slices/text-in-pieces.js'

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

  it('stops after each piece, and once more when the whole was copied', () => {
    expect([...textInPieces(Buffer.from('é'.repeat(100_000)))]).toHaveLength(5)
  })

  it('copies ASCII in a step of its own', () => {
    expect([...textInPieces(Buffer.alloc(200_000, 'x'))]).toHaveLength(1)
  })
})

describe('text in pieces, in a charset', () => {
  it.each([
    { charset: 'utf-8', bytes: Buffer.from(`\ufeffab${'今'.repeat(90_000)}`) },
    { charset: 'UTF8', bytes: Buffer.from('\ufeff\ufeffa') },
    { charset: 'latin1', bytes: Buffer.alloc(200_000, 0xe9) },
    { charset: 'utf-16le', bytes: Buffer.from(`\ufeff${'🙂'.repeat(50_001)}`, 'utf16le') },
    { charset: 'shift_jis', bytes: Buffer.alloc(131_073, Buffer.from([0x61, 0x93, 0xfa])) },
  ])('is what a decoder says: $charset', ({ charset, bytes }) => {
    expect(runNow(strictTextInPieces(bytes, charset))).toBe(new TextDecoder(charset).decode(bytes))
  })

  it.each([
    { charset: 'utf-8', bytes: Buffer.concat([Buffer.alloc(100_000, 'a'), Buffer.from([0xe4, 0xbb])]) },
    { charset: 'utf-16le', bytes: Buffer.alloc(100_001, 'a') },
    { charset: 'klingon', bytes: Buffer.alloc(1) },
  ])('is refused where it is none: $charset', ({ charset, bytes }) => {
    expect(() => runNow(strictTextInPieces(bytes, charset))).toThrow()
  })

  it('stops after each piece, and once more when the whole was copied', () => {
    for (const charset of ['utf-8', 'utf-16le'])
      expect([...strictTextInPieces(Buffer.from('é'.repeat(100_000)), charset)]).toHaveLength(5)
  })
})

describe('bytes in pieces', () => {
  it('are those of the texts, with no character cut', () => {
    const texts = ['', 'a', `a${'🙂'.repeat(100_000)}`, '\ud800'.repeat(70_000), '汉']
    const bytes = Buffer.concat(runNow(bytesInPieces(texts)))
    expect(bytes.equals(Buffer.from(texts.join('')))).toBe(true)
  })

  it('stop in between', () => {
    expect([...bytesInPieces(['x'.repeat(200_000), 'y'])]).toHaveLength(5)
  })
})
