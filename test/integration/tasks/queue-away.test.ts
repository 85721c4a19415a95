import { Redis } from 'ioredis'
import { expect, it } from 'vitest'
import { createBullmqEngine } from '../../../src/tasks/engine/bullmq-engine.js'
import { freePort } from '../../support/free-port.js'
import { startRedisServer } from '../../support/redis-server.js'
import { openTcpProxy } from '../../support/tcp-proxy.js'
import { waitUntil } from '../../support/wait-until.js'

const NEVER = { now: () => Date.now(), sleep: () => new Promise<void>(() => {}) }

async function openQueue(port: number, concurrency = 1) {
  const told: unknown[] = []
  const engine = createBullmqEngine({
    url: `redis://127.0.0.1:${port}`,
    keyPrefix: 'queue-away',
    concurrency,
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

it('what is on its way to the queue when the connection breaks is answered all the same, and happens once', async () => {
  const server = await startRedisServer()
  const proxy = await openTcpProxy(server.port)
  const { engine } = await openQueue(proxy.port, 0)
  await engine.enqueue('one', 0)
  for (let n = 0; n < 5; n += 1) {
    proxy.swallowReply()
    await engine.enqueue('two', n)
  }
  const redis = new Redis(server.url)
  expect(await redis.llen('{queue-away-state:q}:tasks:wait')).toBe(6)
  redis.disconnect()
  await engine.close(60_000)
  await proxy.close()
  await server.stop()
})
