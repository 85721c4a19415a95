import { expect, inject, it } from 'vitest'
import { GROUNDS, type GroundName } from '../support/fault-grounds.js'
import { runSessionFaults } from '../support/session-faults.js'

const SESSIONS = Number(process.env['SESSION_FAULTS'] ?? 200)
const SEED = Number(process.env['SESSION_FAULTS_SEED'] ?? 1)

it.each(Object.keys(GROUNDS) as GroundName[])(
  `%s: ${SESSIONS} sessions lose and repeat nothing, and end only where they must (seed ${SEED})`,
  async (ground) => {
    const report = await runSessionFaults(inject('redisUrl'), { seed: SEED, sessions: SESSIONS, ground })
    console.log(ground, JSON.stringify(report))
    expect(report).toMatchObject({ mistakes: [], repeatedEffects: [] })
    expect(report.turns).toBeGreaterThan(SESSIONS * 0.7)
    expect(report.completed).toBeGreaterThan(0)
    expect(report.continued).toBeGreaterThan(0)
  },
  3_600_000,
)
