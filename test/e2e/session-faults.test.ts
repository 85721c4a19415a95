import { expect, inject, it } from 'vitest'
import { runSessionFaults } from '../support/session-faults.js'

/** A sample: `npm run test:slow` runs hundreds. */
it('lose and repeat nothing over some kills, cuts and lost replies', async () => {
  const report = await runSessionFaults(inject('redisUrl'), { seed: 3, sessions: 3 })
  expect(report.turns).toBeGreaterThan(0)
  expect(report).toMatchObject({ mistakes: [], repeatedEffects: [] })
}, 180_000)
