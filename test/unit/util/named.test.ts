import { describe, expect, it } from 'vitest'
import { named } from '../../../src/util/named.js'

describe('named', () => {
  it.each([0, '', false, null, 'text'])('finds %j', (value) => {
    expect(named<unknown>({ name: value }, 'name')).toBe(value)
  })

  it('says what is not there', () => {
    expect(() => named({ name: 1 }, 'other "one"')).toThrow(
      new RangeError('there is no property "other \\"one\\""'),
    )
  })
})
