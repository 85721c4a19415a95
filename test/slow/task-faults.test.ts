import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterEach, expect, it } from 'vitest'
import { createBullmqEngine } from '../../src/tasks/engine/bullmq-engine.js'
import { createScriptedModel } from '../../src/testing/scripted-model.js'
import { openTestTasks } from '../support/open-tasks.js'
import { createRandom } from '../support/random.js'
import { startRedisServer } from '../support/redis-server.js'
import { redisBackend } from '../support/state-backends.js'
import { waitUntil } from '../support/wait-until.js'

const LEASE_MS = 1_000
const KILLS = Number(process.env['TASK_KILLS'] ?? 50)
const STEPS = 6
const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0)) await end()
})

const worker = join(import.meta.dirname, '../support/task-worker.mjs')

async function startWorker(url: string, keyPrefix: string): Promise<ChildProcess> {
  const child = fork(worker, [url, keyPrefix, String(LEASE_MS)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  return child
}

it(`ends every task, and repeats no finished step and no effect, over ${KILLS} kills`, async () => {
  const server = await startRedisServer()
  ending.unshift(() => server.stop())
  const { url } = server
  const keyPrefix = 'kills'
  const backend = redisBackend(url, async () => {})
  ending.unshift(() => backend.stop())
  const redis = new Redis(url)
  ending.unshift(() => redis.disconnect())
  const { createRedisState } = await import('../../src/state/redis-state.js')
  const { silentLogger } = await import('../../src/util/logger.js')
  const store = createRedisState({
    url,
    keyPrefix,
    leaseMs: LEASE_MS,
    ttlMs: 3_600_000,
    taskCheckMs: 1_000,
    logger: silentLogger(),
  })
  await store.open()
  ending.unshift(() => store.close())
  const engine = createBullmqEngine({
    url,
    keyPrefix,
    concurrency: 0,
    leaseMs: LEASE_MS,
    onFailure: () => {},
  })
  const tools = ['read', 'write'].map((name) => ({ name, execute: () => null }))
  const { tasks } = openTestTasks({
    store,
    engine,
    model: createScriptedModel(['']),
    tools,
    leaseMs: LEASE_MS,
  })
  ending.unshift(() => tasks.close(2_000))
  const workers = [await startWorker(url, keyPrefix), await startWorker(url, keyPrefix)]
  ending.unshift(() => {
    for (const each of workers) each.kill('SIGKILL')
  })

  const random = createRandom(7)
  const call = Object.freeze({ requestId: 'test', signal: new AbortController().signal })
  const ids: string[] = []
  let slowest = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    const name = `t${kill}`
    const steps = Array.from({ length: STEPS }, (_, index) => ({
      step_id: `s${index}`,
      step_name: 'work',
      tool_id: index % 2 === 0 ? 'read' : 'write',
      parameters: { key: `${name} s${index}` },
    }))
    const { id } = await tasks.create(
      { owner: '-', description: name, metadata: {}, domainKnowledge: '', plan: { steps }, config: {} },
      call,
    )
    ids.push(id)
    await new Promise((resolve) => setTimeout(resolve, random.below(300)))
    const killedAt = performance.now()
    workers[kill % 2]?.kill('SIGKILL')
    const next = startWorker(url, keyPrefix)
    await waitUntil(
      async () => (await tasks.read({ kind: 'task', id })).result !== undefined,
      'the end',
      15_000,
    )
    slowest = Math.max(slowest, performance.now() - killedAt)
    workers[kill % 2] = await next
  }
  for (const id of ids) expect((await tasks.read({ kind: 'task', id })).status).toBe('completed')
  const begun = await redis.hgetall(`${keyPrefix}:begun`)
  const effects = Object.entries(begun).filter(
    ([name, count]) => name.startsWith('write') && Number(count) > 1,
  )
  expect(effects).toEqual([])
  console.log(`slowest end after a kill: ${Math.round(slowest)} ms; lease ${LEASE_MS} ms`)
}, 600_000)
