import { describe, expect, it } from 'vitest'
import { keyed, knownWord } from '../../../src/util/at.js'

describe('keyed', () => {
  it.each([0, '', false, null, 'text'])('finds %j', (value) => {
    expect(keyed(new Map([['key', value]]), 'key')).toBe(value)
  })

  it.each([
    ['another key', new Map([['key', 1]]), 'other'],
    ['what an object would inherit', new Map<string, number>(), 'toString'],
  ])('refuses %s', (_name, map, key) => {
    expect(() => keyed(map, key)).toThrow(new RangeError(`there is nothing under the key ${key}`))
  })
})

it('a known word is itself, and nothing else is one', () => {
  expect(knownWord(['a', 'b'], 'b')).toBe('b')
  for (const value of ['c', '', undefined, 1, ['a']])
    expect(() => knownWord(['a', 'b'], value)).toThrow(RangeError)
})
