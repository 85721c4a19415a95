import { expect, it } from 'vitest'
import { knownWord } from '../../../../src/util/errors/known-word.js'
import { jsonObject } from '../../../../src/util/json/json-fields.js'

it('a known word is itself, and nothing else is one', () => {
  expect(knownWord(['a', 'b'], 'b')).toBe('b')
  for (const value of ['c', '', undefined, 1, ['a']])
    expect(() => knownWord(['a', 'b'], value)).toThrow(RangeError)
})

it('data is JSON, and a list is no object', () => {
  const data = { a: 1 }
  expect(jsonObject(data)).toBe(data)
  expect(() => jsonObject([1])).toThrow(TypeError)
})
