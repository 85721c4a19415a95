import { describe, expect, it } from 'vitest'
import { DEFAULT_RETRY, readRetryAfterMs, retryWaitMs } from '../../../../src/transport/resilience/retry.js'

const NOW = Date.parse('2026-01-01T00:00:00Z')

describe('retryWaitMs', () => {
  it.each([
    { failures: 1, retryAfterMs: undefined, wait: 100 },
    { failures: 2, retryAfterMs: undefined, wait: 300 },
    { failures: 3, retryAfterMs: undefined, wait: undefined },
    { failures: 3, retryAfterMs: 50, wait: undefined },
    { failures: 1, retryAfterMs: 700, wait: 700 },
    { failures: 1, retryAfterMs: 20, wait: 20 },
    { failures: 1, retryAfterMs: 60_000, wait: 2000 },
  ])('after $failures failures, asked for $retryAfterMs: $wait', ({ failures, retryAfterMs, wait }) => {
    expect(retryWaitMs(DEFAULT_RETRY, failures, retryAfterMs)).toBe(wait)
  })
})

describe('readRetryAfterMs', () => {
  it.each([
    [{}, undefined],
    [{ 'retry-after': '1' }, 1000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '0' }, undefined],
    [{ 'retry-after': '-1' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': 'Infinity' }, undefined],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:02 GMT' }, 2000],
    [{ 'retry-after': 'Thu, 01 Jan 2025 00:00:02 GMT' }, undefined],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after-ms': 'x', 'retry-after': '1' }, 1000],
  ])('%j is %s', (headers, expected) => {
    const header = (name: string) => new Map(Object.entries(headers)).get(name)
    expect(readRetryAfterMs(header, NOW)).toBe(expected)
  })
})
