import { describe, expect, it } from 'vitest'
import { backoffMs } from '../../../../src/transport/resilience/backoff.js'

describe('backoffMs', () => {
  it.each([
    [1, 100],
    [2, 200],
    [3, 400],
    [4, 800],
    [5, 1_000],
    [5_000, 1_000],
  ])('after %i failures in a row waits %i ms', (failures, expected) => {
    expect(backoffMs({ firstMs: 100, longestMs: 1_000 }, failures)).toBe(expected)
  })
})
