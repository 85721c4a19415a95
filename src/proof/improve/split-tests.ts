import { createHash } from 'node:crypto'
import type { PlacedTest } from '../tested-prompts.js'

/** Tests that a model learns from, and tests that it never sees. */
export interface SplitTests {
  readonly train: readonly PlacedTest[]
  readonly heldOut: readonly PlacedTest[]
}

/**
 * Holds tests out by their names: the same on every machine, and a test that is added moves no other. Both parts have at
 * least one.
 *
 * @param percent of the tests that are held out, from 0 to 100
 * @throws RangeError for fewer than two tests
 */
export function splitTests(tests: readonly PlacedTest[], percent: number): SplitTests {
  if (tests.length < 2) throw new RangeError('one test is learned from and one is held out: two are needed')
  const placed = tests
    .map((test) => ({ test, place: placeOf(test.test.name) }))
    .sort((one, other) => one.place - other.place)
  const wanted = placed.filter(({ place }) => place < percent / 100).length
  const held = Math.min(tests.length - 1, Math.max(1, wanted))
  const isHeldOut = new Set(placed.slice(0, held).map(({ test }) => test))
  return {
    train: tests.filter((test) => !isHeldOut.has(test)),
    heldOut: tests.filter((test) => isHeldOut.has(test)),
  }
}

/** From 0 to 1. */
function placeOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE(0) / 2 ** 32
}
