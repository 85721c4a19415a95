import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRedisState } from '../../../src/state/redis-state.js'
import { createBullmqEngine } from '../../../src/tasks/engine/bullmq-engine.js'
import { createScriptedModel } from '../../../src/testing/scripted-model.js'
import { silentLogger } from '../../../src/util/telemetry/logger.js'
import { openTestTasks } from '../../support/open-tasks.js'
import { type RedisServer, startRedisServer } from '../../support/redis-server.js'
import { evaluation } from '../../support/task-setup.js'
import { waitUntil } from '../../support/wait-until.js'

const documentation = readFileSync(join(import.meta.dirname, '../../../docs/reference/redis.md'), 'utf8')
const LEASE_MS = 2_000

let server: RedisServer
let admin: Redis

beforeEach(async () => {
  server = await startRedisServer()
  admin = new Redis(server.url)
})
afterEach(async () => {
  admin.disconnect()
  await server.stop()
})

it('tasks and their queue need no more rights than documented', async () => {
  const line = /^ACL (SETUSER shell-tasks .*)$/m.exec(documentation)?.[1] ?? ''
  await admin.call('ACL', ...line.split(' '))
  const url = server.url.replace('://', '://shell-tasks:secret@')
  const store = createRedisState({ url, leaseMs: LEASE_MS, ttlMs: 60_000, logger: silentLogger() })
  await store.open()
  const queueFailures: unknown[] = []
  const engine = createBullmqEngine({
    ...{ url, keyPrefix: 'shenma', concurrency: 2, leaseMs: LEASE_MS },
    onFailure: (_task, error) => queueFailures.push(error),
  })
  const { tasks, failures } = openTestTasks({
    ...{ store, engine, leaseMs: LEASE_MS },
    model: createScriptedModel([JSON.stringify(evaluation(95, 98, true))]),
    // Longer than the queue's look for jobs whose worker is gone, which has rights of its own.
    tools: [
      { name: 'work', readOnly: true, execute: () => new Promise((done) => setTimeout(done, LEASE_MS, 1)) },
    ],
    permission: (name) => (name === 'work' ? 'ask' : 'allow'),
  })
  tasks.start()
  const plan = { steps: [{ step_id: 'a', step_name: 'work', tool_id: 'work' }] }
  const order = { owner: '-', description: 'x', metadata: {}, domainKnowledge: '', plan, config: {} }
  const call = { requestId: 'r', signal: new AbortController().signal }
  const { id } = await tasks.create(order, call)
  const address = { kind: 'task', id } as const
  const status = async () => (await tasks.read(address)).status
  await waitUntil(async () => (await status()) === 'waiting', 'the question')
  const [question] = await tasks.approvals(address)
  await tasks.decide('-', question?.id ?? '', { decision: 'approve' }, call)
  // A second worker finds the lease taken, and puts the job back for later.
  await engine.enqueue(id, 99)
  await waitUntil(async () => (await status()) === 'completed', 'the end of the task')
  await tasks.close(5_000)
  await store.close()
  const refused = (await admin.call('ACL', 'LOG')) as readonly unknown[]
  expect([refused, failures, queueFailures]).toEqual([[], [], []])
})
