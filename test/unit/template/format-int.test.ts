import { expect, it } from 'vitest'
import { formatArgument, formatInt } from '../../../src/template/format/format-value.js'
import { createRandom } from '../../support/random.js'

it('writes every whole number as its digits', () => {
  const random = createRandom(7)
  const near = [2 ** 31, 1e6, 1e9, 1e12, 1e15, 2 ** 53].flatMap((edge) => [
    edge - 2,
    edge - 1,
    edge,
    edge + 1,
  ])
  const parts = [4_000_000_000, 4_000_000_001, 123_456_000_000, 999_999_999_999_999, 1_000_000_000_000_000]
  const drawn = Array.from({ length: 20_000 }, () => random.below(2 ** 31) * random.below(2 ** 20))
  const whole = [...near, ...parts, ...drawn].filter(Number.isSafeInteger)
  const signed = whole.flatMap((value) => [value, -value])
  expect(whole.length).toBeGreaterThan(10_000)
  expect(signed.filter((value) => formatInt(value) !== String(value))).toEqual([])
})

it.each([255, 256, 257, 512, 1_000])('prints a list of %i as a short one', (count) => {
  const list = Array.from({ length: count }, (_, index) => (index % 3 === 0 ? [index, 'x'] : index))
  const printed = list.map((item) => (typeof item === 'number' ? `${item}` : `[${item.join(' ')}]`))
  expect(formatArgument(list)).toBe(`[${printed.join(' ')}]`)
})
