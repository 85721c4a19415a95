import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, it, onTestFinished } from 'vitest'
import { createRandom } from '../support/random.js'
import { startRedisServer } from '../support/redis-server.js'
import { openTaskFarm, type TaskFarm, type TaskFarmOptions } from '../support/task-farm.js'
import { expectNothingTwice, killWorkers } from '../support/task-faults.js'
import { openTcpProxy } from '../support/tcp-proxy.js'
import { waitUntil } from '../support/wait-until.js'

const LEASE_MS = 1_000
const KILLS = Number(process.env['TASK_KILLS'] ?? 50)
const SEED = Number(process.env['TASK_FAULTS_SEED'] ?? 7)

async function open(options: Omit<TaskFarmOptions, 'leaseMs'>): Promise<TaskFarm> {
  const farm = await openTaskFarm({ leaseMs: LEASE_MS, ...options })
  onTestFinished(() => farm.close())
  return farm
}

async function ownServer() {
  const server = await startRedisServer()
  onTestFinished(() => server.stop())
  return server
}

/** As many tasks as two workers run at once, all under way. */
async function manyUnderWay(farm: TaskFarm): Promise<readonly string[]> {
  const ids = await Promise.all(Array.from({ length: 8 }, () => farm.make(6)))
  await waitUntil(async () => (await farm.calls()).length >= 8, 'calls')
  return ids
}

it(`ends every task over ${KILLS} kills, runs no finished step and no effect twice, and soon (seed ${SEED})`, async () => {
  const farm = await open({ url: inject('redisUrl') })
  const recoveries = await killWorkers(farm, createRandom(SEED), KILLS)
  const slowest = Math.max(...recoveries)
  console.log(
    `${recoveries.length} of ${KILLS} kills met the task; slowest recovery ${slowest} ms, lease ${LEASE_MS} ms`,
  )
  expect(recoveries.length).toBeGreaterThan(KILLS / 3)
})

it('survives a Redis that is frozen for longer than the lock', async () => {
  const server = await ownServer()
  const farm = await open({ url: server.url, toolMs: 100 })
  const random = createRandom(11)
  for (let round = 0; round < 5; round += 1) {
    const ids = await manyUnderWay(farm)
    await sleep(random.below(300))
    server.pause()
    await sleep(2.5 * LEASE_MS)
    server.resume()
    await expectNothingTwice(farm, ids)
  }
})

it('survives workers that are frozen for longer than the lock, and go on beside those that took over', async () => {
  const farm = await open({ url: inject('redisUrl'), toolMs: 100 })
  const random = createRandom(13)
  const frozen = new Set<number | undefined>()
  for (let round = 0; round < 5; round += 1) {
    const ids = await manyUnderWay(farm)
    await sleep(random.below(300))
    const worker = farm.workers[round % 2]
    frozen.add(worker?.pid)
    worker?.kill('SIGSTOP')
    await sleep(2.5 * LEASE_MS)
    worker?.kill('SIGCONT')
    await expectNothingTwice(farm, ids, frozen)
  }
})

it('survives an outage of one worker that is longer than the lock: its jobs run beside themselves', async () => {
  const server = await ownServer()
  const proxy = await openTcpProxy(server.port)
  onTestFinished(() => proxy.close())
  // Its tools go on while it is cut off, and somebody else takes its tasks meanwhile.
  const farm = await open({ url: server.url, firstUrl: proxy.url, toolMs: 3 * LEASE_MS })
  const ids = await Promise.all(Array.from({ length: 8 }, () => farm.make(2)))
  await waitUntil(async () => (await farm.calls()).length >= 8, 'calls')
  proxy.freeze()
  await sleep(2.5 * LEASE_MS)
  proxy.cut()
  proxy.restore()
  await expectNothingTwice(farm, ids)
  const reads = (await farm.calls()).filter(({ name }) => name === 'read')
  const twice = reads.filter(({ key }, index) => reads.findIndex((each) => each.key === key) !== index)
  expect(twice.length).toBeGreaterThan(0)
})

it('shares 100 tasks between two workers', async () => {
  const farm = await openTaskFarm({ url: inject('redisUrl'), leaseMs: 10_000, workers: 2, toolMs: 250 })
  onTestFinished(() => farm.close())
  const ids = await Promise.all(Array.from({ length: 100 }, () => farm.make(3)))
  for (const id of ids) await farm.end(id)
  const calls = await farm.calls()
  const shares = farm.workers.map(({ pid }) => calls.filter((call) => call.pid === pid).length / calls.length)
  // What a worker does is waiting: neither can take all of it before the other asks.
  for (const share of shares) expect(share).toBeGreaterThan(0.25)
})
