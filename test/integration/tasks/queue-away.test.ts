import { expect, it } from 'vitest'
import { createBullmqEngine } from '../../../src/tasks/engine/bullmq-engine.js'
import { freePort } from '../../support/free-port.js'
import { startRedisServer } from '../../support/redis-server.js'
import { waitUntil } from '../../support/wait-until.js'

const NEVER = { now: () => Date.now(), sleep: () => new Promise<void>(() => {}) }

async function openQueue(port: number) {
  const told: unknown[] = []
  const engine = createBullmqEngine({
    url: `redis://127.0.0.1:${port}`,
    keyPrefix: 'queue-away',
    concurrency: 1,
    leaseMs: 1_000,
    clock: NEVER,
    onFailure: (_task, error) => void told.push(error),
  })
  engine.start(async () => {})
  return { engine, told }
}

it('a queue whose Redis is away closes at once, and does not wait for its deadline', async () => {
  const { engine, told } = await openQueue(await freePort())
  await waitUntil(() => told.length > 0, 'the first failure')
  // The clock of the deadline never moves.
  await engine.close(60_000)
})

it('a queue tells each failure once while its Redis is away, and again when it went another time', async () => {
  const server = await startRedisServer()
  const { engine, told } = await openQueue(server.port)
  const refusals = () => told.filter((error) => String(error).includes('ECONNREFUSED')).length
  await engine.enqueue('one', 0)
  await server.stop()
  await waitUntil(() => refusals() > 0, 'the first failure')
  const again = await startRedisServer({ port: server.port })
  await engine.enqueue('two', 0)
  expect(refusals()).toBe(1)
  await again.stop()
  await waitUntil(() => refusals() === 2, 'the second failure')
  await engine.close(60_000)
})
