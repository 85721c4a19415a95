import { beforeAll, describe, expect, it } from 'vitest'
import { paceOf } from '../support/costs/longest-piece.js'
import { busyMs } from '../support/loop-turn.js'
import { FIRST_USES, firstUses } from './support/first-use.js'
import { LOOP_BOUND_MS } from './support/loop-bound.js'

const STARTS = 3

describe('the first use', () => {
  let starts: readonly (readonly number[])[]
  beforeAll(async () => {
    starts = []
    for (let start = 0; start < STARTS; start += 1) {
      const uses = await firstUses()
      const pace = paceOf()
      starts = [...starts, uses.map((turns) => Math.max(0, ...turns.map(busyMs)) / pace)]
    }
  })

  it.each(FIRST_USES.map(({ name }, index) => [name, index] as const))(
    'of %s holds nobody up',
    (_name, index) => {
      // Collecting garbage may fall into one of them, but not into all.
      const busy = Math.min(...starts.map((longest) => longest[index] ?? Number.NaN))
      expect(busy).toBeLessThan(LOOP_BOUND_MS)
    },
  )
})
