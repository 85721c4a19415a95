import { expect, inject, it } from 'vitest'
import { runResponseKills } from '../support/response-kills.js'

/** A sample: `npm run test:slow` has hundreds. */
it('ends every response over some kills, and what any reader saw is in the log', async () => {
  const report = await runResponseKills(inject('redisUrl'), { seed: 3, kills: 3 })
  expect(report.completed + report.failed).toBeGreaterThan(0)
}, 180_000)
