import { expect, it, onTestFinished } from 'vitest'
import { createRandom } from '../support/random.js'
import { startRedisCluster, startRedisSentinel } from '../support/redis-topologies.js'
import { openTaskFarm } from '../support/task-farm.js'
import { expectNothingTwice, killWorkers } from '../support/task-faults.js'
import { waitUntil } from '../support/wait-until.js'

const LEASE_MS = 1_000

const SEED = Number(process.env['TASK_FAULTS_SEED'] ?? 17)
const KILLS = Number(process.env['TASK_KILLS'] ?? 50)

const TOPOLOGIES = [
  ['a cluster', () => startRedisCluster()],
  ['a sentinel', () => startRedisSentinel()],
] as const

it.each(TOPOLOGIES)(
  `ends every task over ${KILLS} kills in %s, and runs nothing twice (seed ${SEED})`,
  async (name, start) => {
    const servers = await start()
    onTestFinished(() => servers.stop())
    const farm = await openTaskFarm({ url: servers.url, leaseMs: LEASE_MS })
    onTestFinished(() => farm.close())
    const recoveries = await killWorkers(farm, createRandom(SEED), KILLS)
    console.log(`${name}: ${recoveries.length} of ${KILLS} kills met the task`)
    expect(recoveries.length).toBeGreaterThan(0)
  },
)

it.each(TOPOLOGIES)('the queue of tasks lives in %s', async (_, start) => {
  const servers = await start()
  onTestFinished(() => servers.stop())
  const farm = await openTaskFarm({ url: servers.url, leaseMs: LEASE_MS })
  onTestFinished(() => farm.close())
  const ids = await Promise.all(Array.from({ length: 12 }, () => farm.make(4)))
  farm.workers[0]?.kill('SIGKILL')
  await expectNothingTwice(farm, ids)
  const pids = new Set((await farm.calls()).map(({ pid }) => pid))
  expect(pids.size).toBeGreaterThan(0)
})

it('tasks go on after a failover', async () => {
  const servers = await startRedisSentinel()
  onTestFinished(() => servers.stop())
  const farm = await openTaskFarm({ url: servers.url, leaseMs: LEASE_MS, toolMs: 200 })
  onTestFinished(() => farm.close())
  const ids = await Promise.all(Array.from({ length: 8 }, () => farm.make(6)))
  await waitUntil(async () => (await farm.calls()).length >= 8, 'calls')
  await servers.master.kill()
  // Replication is asynchronous: what was acknowledged last may be lost, so effects are not counted here.
  const tasks = await Promise.all(ids.map((id) => farm.end(id)))
  expect(new Set(tasks.map(({ status }) => status))).toEqual(new Set(['completed']))
})
