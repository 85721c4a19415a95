import { RedisQueueBackend } from 'bullmq'
import { Redis } from 'ioredis'
import { afterEach, expect, it, vi } from 'vitest'
import { createBullmqEngine } from '../../../src/tasks/engine/bullmq-engine.js'
import { connectToQueue, openQueue } from '../../../src/tasks/engine/open-queue.js'
import { RequeueError } from '../../../src/tasks/engine/task-engine.js'
import { freePort } from '../../support/free-port.js'
import { startRedisServer } from '../../support/redis-server.js'
import { openTcpProxy } from '../../support/tcp-proxy.js'
import { waitUntil } from '../../support/wait-until.js'

const NEVER = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: () => new Promise<void>(() => {}),
}

afterEach(() => void vi.restoreAllMocks())

async function openEngine(port: number, concurrency = 1) {
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
  const { engine, told } = await openEngine(await freePort())
  await waitUntil(() => told.length > 0, 'the first failure')
  // The clock of the deadline never moves.
  await engine.close(60_000)
})

it('a queue tells each failure once while its Redis is away, and again when it went another time', async () => {
  const server = await startRedisServer()
  const { engine, told } = await openEngine(server.port)
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
  const { engine } = await openEngine(proxy.port, 0)
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

/** An engine whose Redis user has every right but these. */
async function openRefused(...rights: readonly string[]) {
  const server = await startRedisServer()
  const admin = new Redis(server.url)
  await admin.call(
    'ACL',
    'SETUSER',
    'queue',
    'on',
    '>secret',
    '~*',
    '&*',
    '+@all',
    ...rights.map((right) => `-${right}`),
  )
  const told: string[] = []
  const taken: string[] = []
  const engine = createBullmqEngine({
    ...{
      url: server.url.replace('://', '://queue:secret@'),
      keyPrefix: 'refused',
      concurrency: 4,
      leaseMs: 1_000,
    },
    onFailure: (_task, error) => void told.push(String(error)),
  })
  engine.start(async (task) => void taken.push(task))
  return {
    ...{ admin, engine, told, taken },
    grant: () => admin.call('ACL', 'SETUSER', 'queue', '+@all'),
    async close() {
      await engine.close(5_000)
      admin.disconnect()
      await server.stop()
    },
  }
}

it('a queue that is refused at its start says so, and works when the right is granted', async () => {
  const { engine, told, taken, grant, close } = await openRefused('info')
  await waitUntil(() => told.some((text) => text.includes("'info'")), 'the refusal')
  await expect(engine.enqueue('one', 0)).rejects.toMatchObject({ code: 'state_unavailable' })
  await grant()
  await waitUntil(
    () =>
      engine.enqueue('one', 0).then(
        () => true,
        () => false,
      ),
    'the queue',
  )
  await waitUntil(() => taken.length > 0, 'the job', 20_000)
  await close()
})

it('a queue whose first question is lost with its connection does not wait for an answer for ever', async () => {
  const server = await startRedisServer()
  const proxy = await openTcpProxy(server.port)
  proxy.freeze()
  const address = { url: proxy.url, keyPrefix: 'lost' }
  const client = connectToQueue(address)
  await waitUntil(() => client.status === 'connect', 'the connection')
  const opened = openQueue(address, client, () => {})
  await expect(opened).rejects.toThrow()
  client.disconnect()
  await proxy.close()
  await server.stop()
})

it('a worker that is refused rests before it asks again', async () => {
  const { admin, engine, told, taken, grant, close } = await openRefused('eval', 'evalsha')
  await waitUntil(() => told.some((text) => text.includes('NOPERM')), 'the refusal')
  const refusals = async () => {
    const rejected = (await admin.info('commandstats')).matchAll(
      /cmdstat_eval(?:sha)?:.*rejected_calls=(\d+)/g,
    )
    return [...rejected].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  const [before, startedAt] = [await refusals(), performance.now()]
  await waitUntil(() => performance.now() - startedAt > 1_500, 'a while')
  // It was asked some thousand times a second.
  expect((await refusals()) - before).toBeLessThan(100)
  await grant()
  await engine.enqueue('one', 0)
  await waitUntil(() => taken.length > 0, 'the job', 20_000)
  await close()
})

it('a worker whose question was never answered is replaced, and what it had taken is taken over', async () => {
  const server = await startRedisServer()
  const { moveToActive } = RedisQueueBackend.prototype
  vi.spyOn(RedisQueueBackend.prototype, 'moveToActive').mockImplementationOnce(async function (
    this: RedisQueueBackend,
    ...args
  ) {
    await moveToActive.apply(this, args)
    return new Promise<never>(() => {})
  })
  const told: string[] = []
  const engine = createBullmqEngine({
    ...{ url: server.url, keyPrefix: 'stuck', concurrency: 2, leaseMs: 1_000 },
    onFailure: (_task, error) => void told.push(String(error)),
  })
  const taken: string[] = []
  await engine.enqueue('one', 0)
  await engine.enqueue('two', 0)
  engine.start(async (task) => void taken.push(task))
  await waitUntil(() => taken.length === 2, 'both jobs', 60_000)
  expect(taken.toSorted()).toEqual(['one', 'two'])
  expect(told.join()).toContain('took no jobs')
  await engine.close(5_000)
  await server.stop()
})

it('a worker that waits for the time of a job looks up before its connection seems dead', async () => {
  const server = await startRedisServer()
  const redis = new Redis(server.url)
  const monitor = await redis.monitor()
  const waits: number[] = []
  monitor.on('monitor', (_time: string, [command, , seconds]: readonly string[]) => {
    if (command?.toLowerCase() === 'bzpopmin') waits.push(Number(seconds))
  })
  const engine = createBullmqEngine({
    ...{ url: server.url, keyPrefix: 'later', concurrency: 1, leaseMs: 1_000 },
    onFailure: () => {},
  })
  engine.start(async () => {
    throw new RequeueError(60_000)
  })
  await engine.enqueue('one', 0)
  const isPutBack = async () => (await redis.zcard('{later-state:q}:tasks:delayed')) === 1
  await waitUntil(isPutBack, 'the delayed job')
  const count = waits.length
  await waitUntil(() => waits.length >= count + 2, 'two waits', 20_000)
  // The socket is given up after four seconds of silence.
  expect(Math.max(...waits)).toBeLessThanOrEqual(2)
  await engine.close(5_000)
  monitor.disconnect()
  redis.disconnect()
  await server.stop()
})
