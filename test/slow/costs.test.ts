import { describe, expect, it } from 'vitest'
import { groupCases } from '../support/costs/case-groups.js'
import { type CostCase, costCases, titleOf } from '../support/costs/cost-cases.js'
import { paceOf } from '../support/costs/longest-piece.js'
import { measureCall, measureGroup } from '../support/costs/measure-group.js'
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
/** The pace of the machine is asked for after each look. Where it changes in between, the look says nothing. */
const LOOKS = 3

/** Those that are slow at the largest size with which they begin, or to refuse; each looked at again once all others are done. */
async function slowOf(cases: readonly CostCase[]): Promise<readonly string[]> {
  const meter = { bound: LONGEST_MS, attempts: ATTEMPTS, make: createShapes(), guesses: new Map() }
  const suspects: CostCase[] = []
  for (const group of groupCases(cases)) {
    const { slow } = await measureGroup(group, meter)
    suspects.push(...slow.map(({ call }) => call))
  }
  const slowAgain = async (each: CostCase) => {
    let least = Number.POSITIVE_INFINITY
    for (let look = 0; look < LOOKS; look += 1) {
      const { ms } = await measureCall(each, { ...meter, attempts: SECOND_LOOK })
      if (ms <= LONGEST_MS * paceOf()) return undefined
      least = Math.min(least, ms)
    }
    return `${least.toFixed(0)} ms with ${titleOf(each)}`
  }
  const found: string[] = []
  for (const each of suspects) {
    const slow = await slowAgain(each)
    if (slow !== undefined) found.push(slow)
  }
  return found
}

describe('every function, verb and helper, with large values below its own bounds', () => {
  it('holds nobody up', { timeout: 600_000 }, async () => {
    const random = createRandom(Number(process.env['COSTS_SEED'] ?? 20_261))
    const all = [...costCases()]
    const sample = Array.from({ length: SAMPLE }, () => random.pick(all))
    expect(await slowOf(sample)).toEqual([])
  })

  it('holds nobody up where it once did', { timeout: 120_000 }, async () => {
    expect(await slowOf(SLOW_ONCE)).toEqual([])
  })
})
