import { describe, expect, it } from 'vitest'
import { isSmall, isSmallOnce } from '../../../../src/util/slices/is-small.js'
import { watchedRecord } from '../../../support/watched-record.js'

describe.each([
  ['isSmall', isSmall],
  ['isSmallOnce', isSmallOnce],
])('%s', (_, isSmallValue) => {
  it.each([
    ['a number', 1, true],
    ['nothing', null, true],
    ['a short text', 'a'.repeat(3_000), true],
    ['a long text', 'a'.repeat(5_000), false],
    ['a few fields', { a: [1, 'b'], c: { d: true } }, true],
    ['very many fields', Object.fromEntries(Array.from({ length: 900 }, (__, i) => [`k${i}`, i])), false],
    ['texts that are long together', Array.from({ length: 50 }, () => 'a'.repeat(100)), false],
  ])('looks at %s', (__, value, expected) => {
    expect([isSmallValue(value), isSmallValue(value)]).toEqual([expected, expected])
  })
})

it('isSmallOnce goes through a value once', () => {
  const record = watchedRecord({ a: 1 })
  expect([isSmallOnce(record.value), isSmallOnce(record.value), record.walks]).toEqual([true, true, 1])
})
