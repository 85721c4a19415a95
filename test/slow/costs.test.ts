import { describe, expect, it } from 'vitest'
import { type CostCase, costCases } from '../support/costs/cost-cases.js'
import { leastOf, longestPiece, paceOf } from '../support/costs/longest-piece.js'
import { createShapes } from '../support/costs/shapes.js'
import { createRandom } from '../support/random.js'

/** This many of all cases, others with every seed. */
const SAMPLE = 2_000
/** What is promised, in processor time of one piece on a machine that has nothing else to do. */
const LONGEST_MS = 20
const ATTEMPTS = 5
/** What seemed slow is looked at again once all others are done: who works beside it for a moment has ended by then. */
const SECOND_LOOK = 12

describe('every function, verb and helper, with large values below its own bounds', () => {
  it('holds nobody up', { timeout: 600_000 }, async () => {
    const random = createRandom(Number(process.env['COSTS_SEED'] ?? 20_261))
    const all = [...costCases()]
    const sample = Array.from({ length: SAMPLE }, () => random.pick(all))
    sample.sort((a, b) => a.shape.localeCompare(b.shape) || a.size - b.size)
    const shapes = createShapes()
    const isSlow = async (each: CostCase, attempts: number) => {
      const large = shapes(each.shape, each.size)
      const ms = await leastOf(attempts, LONGEST_MS, () => longestPiece(each, large))
      return ms > LONGEST_MS * paceOf() ? `${ms.toFixed(0)} ms: ${each.name}` : undefined
    }
    const suspects: CostCase[] = []
    for (const each of sample) if ((await isSlow(each, ATTEMPTS)) !== undefined) suspects.push(each)
    const slow: string[] = []
    for (const each of suspects) {
      const found = await isSlow(each, SECOND_LOOK)
      if (found !== undefined) slow.push(found)
    }
    expect(slow).toEqual([])
  })
})
