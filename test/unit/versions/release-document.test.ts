import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/util/json/json.js'
import { ReleaseFault, readRelease, writeRelease } from '../../../src/versions/release-document.js'

const digest = (digit: string) => digit.repeat(64)
const one = { version: 8, digest: digest('a'), sequence: 3 }
const half = (version: number, share: number) => ({ version, digest: digest('b'), share })

describe('a release', () => {
  it.each<[string, JsonObject]>([
    ['one version', one],
    [
      'a split',
      { split: [half(7, 95), half(8, 4.99), half(9, 0.01)], sequence: 4, sticky: 'variables.user.id' },
    ],
    [
      'all that it may say',
      {
        ...one,
        note: 'shorter',
        by: 'ann',
        at: '2026-11-23T17:00:00.000Z',
        expires: '2027-01-01T00:00Z',
        previous: { version: 7, digest: digest('c') },
        forced: 'check',
        tests: { passed: 3 },
        impact: [1],
        signatures: [{ signer: 'ann', value: `${'A'.repeat(86)}==` }],
      },
    ],
  ])('of %s is written as it was read', (_name, document) =>
    expect(writeRelease(readRelease(document))).toEqual(document),
  )

  it('has one target with everything where it is not split', () =>
    expect(readRelease(one).targets).toEqual([{ version: 8, digest: digest('a'), share: 100 }]))

  it.each<[string, unknown, RegExp]>([
    ['no object', 'production', /object/],
    ['neither version nor split', { sequence: 1 }, /version and digest, or a split/],
    ['both', { ...one, split: [half(7, 100)] }, /version and digest, or a split/],
    ['a split beside half a reference', { sequence: 1, version: 8, split: [half(7, 100)] }, /or a split/],
    ['a version without its digest', { version: 8, sequence: 1 }, /version and digest/],
    ['no sequence', { version: 8, digest: digest('a') }, /sequence/],
    ['shares of 99 per cent', { split: [half(7, 95), half(8, 4)], sequence: 1 }, /sum to 99, not to 100/],
    ['shares of 101 per cent', { split: [half(7, 95), half(8, 6)], sequence: 1 }, /sum to 101/],
    ['three decimals', { split: [half(7, 99.999), half(8, 0.001)], sequence: 1 }, /two decimals/],
    ['nothing for one', { split: [half(7, 100), half(8, 0)], sequence: 1 }, /share/],
    ['a version twice', { split: [half(7, 50), half(7, 50)], sequence: 1 }, /two shares/],
    ['an unknown field', { ...one, canary: true }, /canary/],
    ['a day that is none', { ...one, expires: '2027-13-45T00:00Z' }, /expires is not a moment/],
    ['a version that is a text', { ...one, version: '8' }, /version/],
    ['a path out of the variables', { ...one, sticky: 'environs.user' }, /sticky/],
  ])('with %s is refused', (_name, value, message) => {
    expect(() => readRelease(value as JsonObject)).toThrow(ReleaseFault)
    expect(() => readRelease(value as JsonObject)).toThrow(message)
  })
})
