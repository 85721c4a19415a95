import { expect, it } from 'vitest'
import { formatMilliseconds } from '../../../../src/util/time/milliseconds.js'

it.each([
  [0, '0.000'],
  [0.0004, '0.000'],
  [0.0015, '0.002'],
  [1.0421, '1.042'],
  [12.3, '12.300'],
  [999.9999, '1000.000'],
  [60_000.05, '60000.050'],
])('%d ms is %s', (duration, text) => {
  expect(formatMilliseconds(duration)).toBe(text)
})
