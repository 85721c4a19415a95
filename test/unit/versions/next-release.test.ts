import { describe, expect, it } from 'vitest'
import { makeEntry } from '../../../src/versions/history-entry.js'
import { fallbackOf, nextNumber, nextSequence, withShare } from '../../../src/versions/next-release.js'
import type { Release } from '../../../src/versions/release-document.js'

const digest = 'a'.repeat(64)
const target = (version: number, share: number) => ({ version, digest, share })
const release = (sequence: number, ...targets: Release['targets']): Release => ({
  ...{ targets, sequence, signatures: [] },
  previous: { version: 30, digest },
})
const entry = makeEntry('', {
  ...{ action: 'promote', at: '', label: 'production', sequence: 9 },
  targets: [{ version: 40, digest }],
})

describe('the next number', () => {
  it.each([
    [{ numbers: [], releases: [], history: [] }, 1],
    [{ numbers: [3, 1], releases: [], history: [] }, 4],
    [{ numbers: [3], releases: [release(1, target(20, 100))], history: [] }, 31],
    [{ numbers: [3], releases: [], history: [undefined, entry] }, 41],
  ])('of %j is %i', (past, expected) => expect(nextNumber(past)).toBe(expected))

  it('of releases goes on where the label was removed', () => {
    expect(nextSequence('production', [], [])).toBe(1)
    expect(nextSequence('production', [release(3)], [entry])).toBe(10)
    expect(nextSequence('staging', [release(3)], [entry])).toBe(4)
  })
})

describe('a share', () => {
  const shares = (...targets: Release['targets']) => targets.map(({ version, share }) => [version, share])
  const next = { version: 9, digest }
  it.each([
    ['everything, of nothing', [], 100, [[9, 100]]],
    [
      'a part, of one',
      [target(7, 100)],
      5,
      [
        [7, 95],
        [9, 5],
      ],
    ],
    [
      'more, of what has a part',
      [target(7, 95), target(9, 5)],
      50,
      [
        [7, 50],
        [9, 50],
      ],
    ],
    [
      'a part, of several',
      [target(6, 60), target(7, 40)],
      10,
      [
        [6, 54],
        [7, 36],
        [9, 10],
      ],
    ],
    [
      'what stood first stands last',
      [target(9, 50), target(7, 50)],
      60,
      [
        [7, 40],
        [9, 60],
      ],
    ],
    ['all, of several', [target(6, 60), target(7, 40)], 100, [[9, 100]]],
    [
      'a hundredth',
      [target(6, 33.33), target(7, 66.67)],
      0.01,
      [
        [6, 33.32],
        [7, 66.67],
        [9, 0.01],
      ],
    ],
    [
      'nearly all, of one that has hardly anything',
      [target(6, 0.01), target(7, 99.99)],
      99.99,
      [
        [7, 0.01],
        [9, 99.99],
      ],
    ],
  ])('is %s', (_name, before, share, expected) =>
    expect(shares(...withShare(before, next, share))).toEqual(expected),
  )
})

describe('the fallback', () => {
  it.each([
    ['nothing replaced', undefined, undefined],
    ['one version', release(1, target(7, 100)), 7],
    ['a split', release(1, target(6, 20), target(7, 75), target(9, 5)), 7],
    ['the same version', release(1, target(9, 100)), 30],
  ])('of %s', (_name, replaced, expected) =>
    expect(fallbackOf(replaced, { version: 9, digest })?.version).toBe(expected),
  )
})
