import { expect, inject, it } from 'vitest'
import { runSessionFaults } from '../support/session-faults.js'

const FAULTS = Number(process.env['SESSION_FAULTS'] ?? 200)
const SEED = Number(process.env['SESSION_FAULTS_SEED'] ?? 1)

it(`loses and repeats nothing over ${FAULTS} kills, cuts and lost replies (seed ${SEED})`, async () => {
  const report = await runSessionFaults(inject('redisUrl'), { seed: SEED, faults: FAULTS })
  console.log(JSON.stringify(report))
  expect(report.turns).toBeGreaterThan(FAULTS * 0.7)
  expect(report.completed).toBeGreaterThan(0)
}, 3_600_000)
