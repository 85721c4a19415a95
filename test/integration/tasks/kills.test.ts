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
  const machine = watchMachine()
  farm = await openTaskFarm({ url: inject('redisUrl'), leaseMs: LEASE_MS, toolMs: 200 })
  const recoveries = await killWorkers(farm, createRandom(3), KILLS, 'the first call')
  expect(recoveries.length).toBeGreaterThan(0)
  // A recovery is three processes that take turns: where the machine is late, each of them is, many times.
  expect(Math.max(...recoveries)).toBeLessThan(1.5 * LEASE_MS + 1_000 + 20 * machine.latenessMs())
}, 180_000)

/** How late a process of this machine comes to its turn at most, in milliseconds. */
function watchMachine() {
  const EVERY_MS = 20
  let last = performance.now()
  let longest = 0
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - EVERY_MS)
    last = now
  }, EVERY_MS)
  return {
    latenessMs() {
      clearInterval(timer)
      return longest
    },
  }
}
