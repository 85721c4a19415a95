import { describe, expect, it } from 'vitest'
import { bucketOf, targetOf } from '../../../src/versions/split.js'

const target = (version: number, share: number) => ({ version, digest: '', share })
const keys = Array.from({ length: 100_000 }, (_each, index) => `user-${index}`)
const buckets = keys.map((key) => bucketOf('review.code_review', 'production', key))
const served = (...shares: readonly number[]) => {
  const release = { targets: shares.map((share, index) => target(index + 1, share)) }
  return buckets.map((bucket) => targetOf(release, bucket).version)
}

describe('a split', () => {
  it.each([
    ['user-1', 5712],
    ['', 2937],
    ['纸', 4466],
  ])('puts %j where it always was', (key, expected) =>
    expect(bucketOf('review.code_review', 'production', key)).toBe(expected),
  )

  it.each([[[95, 5]], [[50, 30, 20]], [[99.99, 0.01]]])('gives every version its share of %j', (shares) => {
    const versions = served(...shares)
    for (const [index, share] of shares.entries()) {
      const count = versions.filter((version) => version === index + 1).length
      expect(Math.abs(count / keys.length - share / 100)).toBeLessThan(0.01)
    }
  })

  it('only adds keys when the last share is raised', () => {
    const steps = [0.01, 1, 5, 25, 50, 99.99].map((share) => served(100 - share, share))
    for (const [index, after] of steps.entries()) {
      const before = steps[index - 1] ?? []
      expect(before.filter((version, key) => version === 2 && after[key] !== 2)).toEqual([])
    }
  })

  it('is another one for another label and another prompt', () => {
    const here = keys.slice(0, 1_000).map((key) => bucketOf('a.b', 'production', key))
    for (const [id, label] of [
      ['a.c', 'production'],
      ['a.b', 'staging'],
    ] as const) {
      const there = keys.slice(0, 1_000).map((key) => bucketOf(id, label, key))
      expect(there.filter((bucket, index) => bucket === here[index]).length).toBeLessThan(10)
    }
  })

  it('has a version for every bucket', () => {
    const release = { targets: [target(1, 33.33), target(2, 33.33), target(3, 33.34)] }
    expect([0, 3332, 3333, 6665, 6666, 9999].map((bucket) => targetOf(release, bucket).version)).toEqual([
      1, 1, 2, 2, 3, 3,
    ])
  })
})
