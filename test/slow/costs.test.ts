import { describe, expect, it } from 'vitest'
import { admittedValue } from '../support/costs/admitted-value.js'
import { type CostCase, costCases } from '../support/costs/cost-cases.js'
import { leastOf, longestPiece, paceOf } from '../support/costs/longest-piece.js'
import { createShapes } from '../support/costs/shapes.js'
import { SLOW_ONCE } from '../support/costs/slow-once.js'
import { createRandom } from '../support/random.js'

/** This many of all cases, others with every seed. */
const SAMPLE = 2_000
/** What is promised, in processor time of one piece on a machine that has nothing else to do. */
const LONGEST_MS = 20
const ATTEMPTS = 5
/** What seemed slow is looked at again once all others are done: who works beside it for a moment has ended by then. */
const SECOND_LOOK = 12

type Shape = ReturnType<typeof createShapes>

/** A case at the largest size with which its call begins, if that holds the event loop for longer than is promised. */
async function slowness(each: CostCase, shapes: Shape, attempts: number): Promise<string | undefined> {
  const { size, large } = await admittedValue(each, shapes)
  const ms = await leastOf(attempts, LONGEST_MS, () => longestPiece(each, large))
  return ms > LONGEST_MS * paceOf() ? `${ms.toFixed(0)} ms with ${size}: ${each.name}` : undefined
}

/** Those that are slow, each looked at again once all others are done. */
async function slowOf(cases: readonly CostCase[]): Promise<readonly string[]> {
  const shapes = createShapes()
  const suspects: CostCase[] = []
  for (const each of cases) if ((await slowness(each, shapes, ATTEMPTS)) !== undefined) suspects.push(each)
  const slow: string[] = []
  for (const each of suspects) {
    const found = await slowness(each, shapes, SECOND_LOOK)
    if (found !== undefined) slow.push(found)
  }
  return slow
}

describe('every function, verb and helper, with large values below its own bounds', () => {
  it('holds nobody up', { timeout: 600_000 }, async () => {
    const random = createRandom(Number(process.env['COSTS_SEED'] ?? 20_261))
    const all = [...costCases()]
    const sample = Array.from({ length: SAMPLE }, () => random.pick(all))
    sample.sort((a, b) => a.shape.localeCompare(b.shape) || a.size - b.size)
    expect(await slowOf(sample)).toEqual([])
  })

  it('holds nobody up where it once did', { timeout: 120_000 }, async () => {
    expect(await slowOf(SLOW_ONCE)).toEqual([])
  })
})
