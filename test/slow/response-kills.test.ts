import { expect, inject, it } from 'vitest'
import { runResponseKills } from '../support/response-kills.js'

const KILLS = Number(process.env['RESPONSE_KILLS'] ?? 200)
const SEED = Number(process.env['RESPONSE_KILLS_SEED'] ?? 1)

it(`ends every response over ${KILLS} kills, and what any reader saw is in the log (seed ${SEED})`, async () => {
  const report = await runResponseKills(inject('redisUrl'), { seed: SEED, kills: KILLS })
  console.log(JSON.stringify(report))
  expect(report.met).toBeGreaterThan(KILLS)
  expect(report.completed).toBeGreaterThan(KILLS / 2)
}, 3_600_000)
