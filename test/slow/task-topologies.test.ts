import { expect, it, onTestFinished } from 'vitest'
import { startRedisCluster, startRedisSentinel } from '../support/redis-topologies.js'
import { openTaskFarm } from '../support/task-farm.js'
import { expectNothingTwice } from '../support/task-faults.js'
import { waitUntil } from '../support/wait-until.js'

const LEASE_MS = 1_000

it.each([
  ['a cluster', startRedisCluster],
  ['a sentinel', startRedisSentinel],
])('the queue of tasks lives in %s', async (_, start) => {
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
