import { afterEach, expect, inject, it } from 'vitest'
import { createRandom } from '../../support/random.js'
import { openTaskFarm, type TaskFarm } from '../../support/task-farm.js'
import { killWorkers } from '../../support/task-faults.js'

const LEASE_MS = 1_000
const KILLS = 3

let farm: TaskFarm | undefined
afterEach(() => farm?.close())

// A sample: `npm run test:slow` kills fifty, freezes and cuts off.
it('goes on elsewhere when a worker is killed, and repeats neither finished steps nor effects', async () => {
  farm = await openTaskFarm({ url: inject('redisUrl'), leaseMs: LEASE_MS, toolMs: 200 })
  const recoveries = await killWorkers(farm, createRandom(3), KILLS, 'the first call')
  expect(recoveries.length).toBeGreaterThan(0)
}, 180_000)
