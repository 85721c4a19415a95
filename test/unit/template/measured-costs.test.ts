import { describe, expect, it } from 'vitest'
import { addGroup, emptyReport, verdictOf } from '../../attacks/run/costs-report.js'
import { largestAdmitted } from '../../support/costs/admitted-size.js'
import { type CaseGroup, groupCases } from '../../support/costs/case-groups.js'
import { type CostCase, costCases } from '../../support/costs/cost-cases.js'
import { measureCall, measureGroup } from '../../support/costs/measure-group.js'
import { createShapes, SHAPES } from '../../support/costs/shapes.js'
import { HAS_TIME } from '../../support/has-time.js'
import { createRandom } from '../../support/random.js'

/** Nothing is slow. */
const meterOf = () => ({
  bound: 1e9,
  attempts: 1,
  make: createShapes(),
  guesses: new Map<string, number>(),
})

describe('the search for the largest size that is admitted', () => {
  const random = createRandom(7)
  /** Of any magnitude. */
  const drawn = () => Math.floor(2 ** (random.chance() * 21))
  const ROWS = Array.from({ length: 2_000 }, () => ({ most: drawn(), bound: drawn() - 1, guess: drawn() }))

  it.each([true, false])('ends within a twentieth of it, with a guess: %s', async (guesses) => {
    for (const { most, bound, guess } of ROWS) {
      const found = await largestAdmitted(most, async (size) => size <= bound, guesses ? guess : undefined)
      if (bound >= most) expect(found).toEqual({ size: most, refused: Number.POSITIVE_INFINITY })
      else {
        expect(found.size).toBeLessThanOrEqual(bound)
        expect(found.refused).toBeGreaterThan(bound)
        expect(found.refused).toBeLessThanOrEqual(Math.max(found.size + 1, found.size * 1.05 + 1))
      }
    }
  })

  it('tries three sizes where the guess is right, and few where nothing is known', async () => {
    for (const [guess, most] of [[9_000, 3] as const, [undefined, 20] as const]) {
      let tried = 0
      const isAdmitted = async (size: number) => {
        tried += 1
        return size <= 9_000
      }
      await largestAdmitted(1_960_000, isAdmitted, guess)
      expect(tried).toBeLessThanOrEqual(most)
    }
  })
})

const ROWS = HAS_TIME ? 12 : 3

/** The search without guesses or groups: a case alone, downwards in small steps. */
async function plainSize(each: CostCase, make: ReturnType<typeof createShapes>): Promise<number> {
  for (let size = each.size; size >= 1; size = Math.floor(size * 0.9)) {
    const { end } = await measureCall({ ...each, size }, { bound: 0, attempts: 1, make })
    if (end !== 'refused') return size
  }
  return 0
}

describe('cases that are measured as one', () => {
  const all = [...costCases()]
  const groups = groupCases(all)

  it('are all there', () => {
    expect(groups.reduce((sum, { cases }) => sum + cases.length, 0)).toBe(all.length)
    expect(new Set(groups.flatMap(({ cases }) => cases)).size).toBe(all.length)
  })

  it('are one call with one shape', () => {
    const isOne = ({ cases, shape }: CaseGroup) =>
      cases.every((each) => each.source === cases[0].source && each.shape === shape)
    expect(groups.filter((group) => !isOne(group))).toEqual([])
  })

  it('leave out nothing that is admitted: a plain search finds nothing larger', {
    timeout: 120_000,
  }, async () => {
    const random = createRandom(20_263)
    const wanted = groups.filter(({ cases }) => cases.length > 1 && /^once/.test(cases[0].name))
    const meter = meterOf()
    const report = emptyReport()
    for (let row = 0; row < ROWS; row++) {
      const group = random.pick(wanted)
      const measured = await measureGroup(group, meter)
      addGroup(report, measured)
      for (const [at, each] of group.cases.entries()) {
        const plain = await plainSize(each, meter.make)
        expect(measured.sizes[at], `${each.name} of ${each.shape}`).toBeGreaterThanOrEqual(plain / 1.05)
        expect(measured.sizes[at]).toBeLessThanOrEqual(each.size)
      }
    }
    // Some of each kind, or nothing is shown.
    expect(report.measured).toBeGreaterThan(ROWS)
    expect(report.same).toBeGreaterThan(0)
  })
})

describe('every shape', () => {
  it.each(Object.entries({ ...SHAPES.texts, ...SHAPES.structures }))(
    '%s has values of every size',
    (_name, make) => {
      for (const size of [1, 2, 3, 4, 30]) expect(make(size)).toBeTruthy()
    },
  )
})

describe('what a run says', () => {
  const plan = { all: 10, bound: 20, minutes: 15, seed: '1' }
  const [call] = costCases()
  const suspect = { ms: 25, call: call as CostCase }

  it('is 0 where all were reached, and none was slow again', () => {
    expect(verdictOf(plan, { measured: 6, same: 3, refused: 1, slow: [suspect] }, [])).toMatchObject({
      code: 0,
    })
  })

  it('is 1 where not all were reached', () => {
    const { lines, code } = verdictOf(plan, { measured: 6, same: 2, refused: 1, slow: [] }, [])
    expect(code).toBe(1)
    expect(lines[0]).toBe('NOT ALL: 1 of 10 calls were not reached in 15 minutes')
  })

  it('is 1 where one was slow again', () => {
    const { lines, code } = verdictOf(plan, { measured: 6, same: 3, refused: 1, slow: [suspect] }, [suspect])
    expect(code).toBe(1)
    expect(lines[0]).toMatch(
      /25 ms, measured again alone when usual work took 1\.0 times as long, with \d+ of /,
    )
  })

  it('is 0 where one was slow again while usual work was slower still', () => {
    const counts = { measured: 6, same: 3, refused: 1, slow: [suspect] }
    expect(verdictOf(plan, counts, [{ ...suspect, pace: 1.3 }]).code).toBe(0)
    expect(verdictOf(plan, counts, [{ ...suspect, pace: 1.2 }]).code).toBe(1)
  })
})
