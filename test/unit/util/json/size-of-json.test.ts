import { describe, expect, it } from 'vitest'
import { sizeInPieces, sizeOfJson } from '../../../../src/util/json/size-of-json.js'
import { runNow } from '../../../../src/util/slices/sliced.js'

describe('the size of a JSON value', () => {
  const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, [index]]))
  it.each([
    { what: 'a text', value: 'abc' },
    { what: 'nothing', value: null },
    { what: 'values in values', value: { a: [1, 'two', { b: null }], c: 7n, d: [] } },
    { what: 'names', value: names },
  ])('is the same in pieces: $what', ({ value }) => {
    expect(runNow(sizeInPieces(value))).toBe(sizeOfJson(value))
  })

  it('is found in pieces', () => {
    // Those of the names before the first of the lists, and those of the lists.
    expect([...sizeInPieces(names)].length).toBeGreaterThan(50)
  })
})
