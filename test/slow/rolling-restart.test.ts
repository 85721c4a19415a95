import { expect, inject, it } from 'vitest'
import { rollingRestart } from '../support/rolling-restart.js'
import { rollingTurns } from '../support/rolling-turns.js'

const SEED = Number(process.env['RESTART_SEED'] ?? 1)

it('no request fails and no stream breaks off while replicas are replaced one by one', async () => {
  const { answered, failed, ended, cut, codes } = await rollingRestart({ rate: 40, streams: 4 })
  expect([...failed]).toEqual([])
  expect(cut).toEqual([])
  expect(ended).toBe(8)
  expect(answered).toBeGreaterThan(40)
  expect(codes).toEqual([0, 0])
}, 60_000)

/** `npm run soak:restart` does the same to fifty of each, and with `OTHER_BUILD` beside another build. */
it(`nothing is lost, doubled, silent or ended without need while replicas end or die (seed ${SEED})`, async () => {
  const { wrong, ...counts } = await rollingTurns({
    ...{ redisUrl: inject('redisUrl'), seed: SEED },
    ...{ streams: 5, detached: 5, tasks: 3, replacements: 6 },
  })
  console.log(JSON.stringify({ seed: SEED, ...counts }))
  expect(wrong).toEqual([])
  expect(counts.continued).toBeGreaterThan(0)
  expect(counts.drained + counts.killed).toBe(6)
}, 600_000)
