import { describe, expect, it } from 'vitest'
import { GatheredBytes } from '../../../src/util/gathered-bytes.js'
import { runNow } from '../../../src/util/slices/sliced.js'

function gathered(pieces: readonly Buffer[]): GatheredBytes {
  const bytes = new GatheredBytes()
  for (const piece of pieces) bytes.add(piece)
  return bytes
}

const THREE = ['a', '', 'bc'].map((text) => Buffer.from(text))
const digits = (count: number) => Array.from({ length: count }, (_, index) => Buffer.from(String(index % 10)))

describe('gathered bytes', () => {
  it.each([
    ['none', []],
    ['one piece', THREE.slice(0, 1)],
    ['three', THREE],
    ['as many as are put together', digits(256)],
    ['many small ones', digits(100_001)],
    ['small ones before and after large ones', [...digits(300), Buffer.alloc(200_000, 'x'), ...digits(700)]],
    ['many large ones', Array.from({ length: 600 }, (_, index) => Buffer.alloc(1_000, String(index)))],
  ])('are all of them, in order: %s', (_name, pieces) => {
    const bytes = gathered(pieces)
    const whole = Buffer.concat(pieces)
    expect(bytes.length).toBe(whole.length)
    expect(bytes.joined().equals(whole)).toBe(true)
    expect(runNow(bytes.joinedInPieces()).equals(whole)).toBe(true)
  })

  it('are not copied when they came in one piece', () => {
    const only = Buffer.alloc(100_000)
    expect(gathered([only]).joined()).toBe(only)
    expect(runNow(gathered([only]).joinedInPieces())).toBe(only)
  })

  it('are copied piece by piece where each is large', () => {
    const pieces = Array.from({ length: 60 }, () => Buffer.alloc(65_536))
    expect([...gathered(pieces).joinedInPieces()]).toHaveLength(60)
  })

  it('are few pieces, of however many bytes each came', () => {
    // The first ones as they came, then one of 16 KB and one of the rest.
    expect([...gathered(digits(256 + 20_000)).joinedInPieces()]).toHaveLength(256 + 2)
  })

  it('stay where they are beside large ones', () => {
    const pieces = [
      ...digits(256),
      ...Array.from({ length: 100 }, () => [Buffer.alloc(600), Buffer.from('x')]).flat(),
    ]
    const bytes = gathered(pieces)
    expect(bytes.joined().equals(Buffer.concat(pieces))).toBe(true)
    expect(
      new Set(
        bytes.pieces
          .filter(({ length }) => length === 1)
          .slice(256)
          .map(({ buffer }) => buffer),
      ).size,
    ).toBe(1)
  })
})
