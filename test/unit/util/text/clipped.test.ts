import { expect, it } from 'vitest'
import { clipped } from '../../../../src/util/text/clipped.js'

it.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc…'],
  ['a😀b', 3, 'a😀…'],
  ['ab😀', 3, 'ab…'],
  ['', 0, ''],
])('%j in at most %i characters is %j', (text, most, short) => {
  expect(clipped(text, most)).toBe(short)
})
