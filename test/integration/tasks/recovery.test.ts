import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import type { RunTask, TaskEngine } from '../../../src/tasks/engine/task-engine.js'
import { createScriptedModel } from '../../../src/testing/scripted-model.js'
import { Cancellation } from '../../../src/util/cancellation.js'
import { openTestTasks } from '../../support/open-tasks.js'
import { startRedisServer } from '../../support/redis-server.js'
import { STATE_BACKENDS } from '../../support/state-backends.js'
import { openTaskFarm } from '../../support/task-farm.js'
import { waitUntil } from '../../support/wait-until.js'

const LEASE_MS = 1_000
/** Longer than the test: the first process dies within the call. */
const CALL_MS = 120_000

/** `SET key value PX milliseconds`, as the server carried it out. */
interface TimedKey {
  readonly key: string
  readonly value: string
  readonly ms: number
}

/** Every key with an expiry that is set in a Redis from now on; scripts are seen, too. */
async function watchTimedKeys(url: string): Promise<readonly TimedKey[]> {
  const client = new Redis(url)
  const monitor = await client.monitor()
  onTestFinished(() => {
    monitor.disconnect()
    client.disconnect()
  })
  const seen: TimedKey[] = []
  monitor.on(
    'monitor',
    (_time: string, [command = '', key = '', value = '', unit = '', ms = '']: string[]) => {
      if (command.toLowerCase() === 'set' && unit.toLowerCase() === 'px')
        seen.push({ key, value, ms: Number(ms) })
    },
  )
  return seen
}

/*
 * From the death of a process: its lock of the job ends within one lease, and the queue is looked through every half a lease;
 * a job without a lock is then put back. What is left is the second for the way.
 */
it('a job of a dead process is found within one and a half leases: its lock lasts one, and a look comes every half', async () => {
  const server = await startRedisServer()
  onTestFinished(() => server.stop())
  const keys = await watchTimedKeys(server.url)
  const farm = await openTaskFarm({ url: server.url, leaseMs: LEASE_MS, toolMs: CALL_MS })
  onTestFinished(() => farm.close())
  const id = await farm.make(1)
  const calls = async () => (await farm.calls()).filter(({ task }) => task === id)
  await waitUntil(async () => (await calls()).length === 1, 'the first call', 60_000)
  const [first] = await calls()
  farm.workers.find(({ pid }) => pid === first?.pid)?.kill('SIGKILL')
  await waitUntil(async () => (await calls()).length === 2, 'the call of the other process', 60_000)
  expect((await calls())[1]?.pid).not.toBe(first?.pid)

  const locks = keys.filter(({ key }) => key.endsWith(':lock'))
  const looks = keys.filter(({ key }) => key.endsWith(':stalled-check'))
  // At least two processes had it; one that is hardly given the processor may lose its lock and take it again.
  expect(new Set(locks.map(({ value }) => value)).size).toBeGreaterThan(1)
  expect(looks.length).toBeGreaterThan(1)
  const longest = (all: readonly TimedKey[]) => Math.max(...all.map(({ ms }) => ms))
  expect(longest(locks) + longest(looks)).toBeLessThanOrEqual(1.5 * LEASE_MS)
}, 180_000)

it('a task whose lease another process still has is tried again within half a lease', async () => {
  const backend = await STATE_BACKENDS.memory()
  onTestFinished(() => backend.stop())
  const store = await backend.open({ leaseMs: LEASE_MS })
  let run: RunTask | undefined
  const engine: TaskEngine = {
    enqueue: async () => {},
    start: (given) => {
      run = given
    },
    stop: () => {},
    close: async () => {},
    status: { kind: 'memory', concurrency: 1, running: 0 },
  }
  let reach = () => {}
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const work = () => {
    reach()
    return new Promise<never>(() => {})
  }
  const { tasks } = openTestTasks({
    store,
    engine,
    model: createScriptedModel(['']),
    tools: [{ name: 'work', execute: work }],
    leaseMs: LEASE_MS,
  })
  tasks.start(60_000)
  const plan = { steps: [{ step_id: 'a', step_name: 'a', tool_id: 'work', parameters: {} }] }
  const order = { owner: '-', description: 'do it', metadata: {}, domainKnowledge: '', config: {}, plan }
  const call = Object.freeze({ requestId: 'test', signal: new AbortController().signal })
  const { id } = await tasks.create(order, call)
  const stopping = new Cancellation()
  const working = run?.(id, stopping)
  await reached
  const again: unknown = await run?.(id, stopping).catch((error: unknown) => error)
  expect(again).toMatchObject({ name: 'RequeueError' })
  expect((again as { readonly delayMs: number }).delayMs).toBeLessThanOrEqual(LEASE_MS / 2)
  await tasks.cancel({ kind: 'task', id, owner: '-' })
  await working
  await tasks.close(1_000)
})
