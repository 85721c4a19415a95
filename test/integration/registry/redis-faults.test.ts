import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Registry, RegistryLog } from '../../../src/registry/registry.js'
import { freePort } from '../../support/free-port.js'
import { type OpenMirrorOptions, openMirror } from '../../support/redis-mirror.js'
import { type RedisServer, startRedisServer } from '../../support/redis-server.js'
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js'
import { waitUntil } from '../../support/wait-until.js'

let server: RedisServer
let proxy: TcpProxy
let redis: Redis
let registry: Registry | undefined
let warnings: string[]

const log: RegistryLog = {
  info: () => {},
  warn: (_, message) => void warnings.push(message),
}

const valueAt = (id: string) => registry?.current.environs.get(id)?.value

beforeEach(async () => {
  warnings = []
  server = await startRedisServer()
  proxy = await openTcpProxy(server.port)
  redis = new Redis(server.url)
  redis.on('error', () => {})
  await redis.set('shenma:environs:a', '1')
  await redis.set('shenma:templates:p:q', '{"userPrompt":"text"}')
})

afterEach(async () => {
  await registry?.close()
  registry = undefined
  redis.disconnect()
  await proxy.close()
  await server.stop()
})

/** A store that answers at last is not away. */
const PATIENT: OpenMirrorOptions = {
  timings: { heartbeatMs: 30_000, timeoutMs: 30_000 },
  options: { readThroughMs: 30_000 },
}

async function open(url = proxy.url, options: OpenMirrorOptions = {}): Promise<Registry> {
  registry = openMirror(url, { ...options, log })
  await registry.whenReady()
  return registry
}

describe('redis faults', () => {
  it('is not ready while Redis is down at the start, then ready by itself', async () => {
    const port = await freePort()
    registry = openMirror(`redis://127.0.0.1:${port}`, { log })
    await sleep(400)
    expect(registry.status).toMatchObject({ ready: false, store: { connected: false } })
    // It tried more than once by now, and found the same.
    expect(warnings).toEqual(['the catalog could not be loaded; trying until it can'])
    expect(registry.current.sequence).toBe(0)
    const late = await startRedisServer({ port })
    const writer = new Redis(late.url)
    await writer.set('shenma:environs:late', '1')
    await waitUntil(() => valueAt('late') === 1, 'the first load')
    expect(registry.status).toMatchObject({ ready: true, stale: false })
    await waitUntil(() => registry?.status.store.mode === 'tracking', 'the push connection')
    writer.disconnect()
    await late.stop()
  })

  it('serves on while Redis is away, says so, and repairs everything when it is back', async () => {
    const live = await open()
    proxy.down()
    await waitUntil(() => live.status.stale, 'the loss')
    expect(live.status.staleSince).toBeDefined()
    expect(warnings).toContain('the store is out of reach; the last good catalog keeps serving')
    await redis
      .multi()
      .del('shenma:environs:a')
      .set('shenma:environs:b', '2')
      .set('shenma:environs:c', '3')
      .exec()
    const until = performance.now() + 500
    while (performance.now() < until) {
      const snapshot = live.current
      expect(live.compiled(snapshot, snapshot.prompts.get('p.q') as never).kind).toBe('prompt')
      expect(snapshot.environs.get('a')?.value).toBe(1)
      await sleep(5)
    }
    proxy.restore()
    await waitUntil(() => !live.status.stale && valueAt('b') === 2, 'the return')
    expect(live.current.context).toEqual({ b: 2, c: 3 })
    expect(live.status.staleSince).toBeUndefined()
  })

  it('survives a crash of the server that loses its data', async () => {
    const live = await open(server.url)
    const { port } = server
    await server.stop()
    await waitUntil(() => live.status.stale, 'the loss')
    expect(live.current.context).toEqual({ a: 1 })
    server = await startRedisServer({ port })
    await waitUntil(() => !live.status.stale && live.current.environs.size === 0, 'the empty server')
  })

  it('finds a connection whose other end is gone', async () => {
    const live = await open()
    proxy.freeze()
    await redis.set('shenma:environs:a', '2')
    await waitUntil(
      () => !live.status.store.connected || live.status.store.mode === 'polling',
      'the heartbeat',
    )
    proxy.restore()
    await waitUntil(() => valueAt('a') === 2 && live.status.store.mode === 'tracking', 'the new connection')
  })

  it('finds a frozen server and follows it when it goes on', async () => {
    const live = await open(server.url)
    server.pause()
    await waitUntil(() => live.status.stale, 'the heartbeat')
    expect(live.current.context).toEqual({ a: 1 })
    server.resume()
    await waitUntil(() => !live.status.stale, 'the return')
    await redis.set('shenma:environs:a', '2')
    await waitUntil(() => valueAt('a') === 2, 'the change')
  })

  it('follows a slow server', async () => {
    const live = await open()
    proxy.delay(100)
    await redis.set('shenma:environs:a', '2')
    await waitUntil(() => valueAt('a') === 2, 'the change')
    expect(live.status.stale).toBe(false)
  })

  it('sees what is written while only the push connection is lost', async () => {
    const live = await open()
    for (let round = 2; round < 12; round += 1) {
      await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
      await redis.set('shenma:environs:a', String(round))
      await waitUntil(() => valueAt('a') === round, `round ${round}`)
    }
    await waitUntil(() => live.status.store.mode === 'tracking', 'the push connection')
  })

  it('sees what is written while only the command connection is lost', async () => {
    await open()
    for (let round = 2; round < 12; round += 1) {
      await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      await redis.set('shenma:environs:a', String(round))
      await waitUntil(() => valueAt('a') === round, `round ${round}`)
    }
  })

  it('follows FLUSHDB, expiry, MULTI, MSET, RENAME and changes of type', async () => {
    const live = await open(server.url)
    await redis.mset('shenma:environs:m1', '1', 'shenma:environs:m2', '2')
    await waitUntil(() => valueAt('m1') === 1 && valueAt('m2') === 2, 'MSET')
    await redis.multi().set('shenma:environs:x', '1').del('shenma:environs:m1').exec()
    await waitUntil(() => valueAt('x') === 1 && valueAt('m1') === undefined, 'MULTI')
    await redis.pexpire('shenma:environs:x', 30)
    await waitUntil(() => valueAt('x') === undefined, 'expiry')
    await redis.set('elsewhere', '"moved"')
    await redis.rename('elsewhere', 'shenma:environs:in')
    await waitUntil(() => valueAt('in') === 'moved', 'RENAME in')
    await redis.rename('shenma:environs:in', 'elsewhere')
    await waitUntil(() => valueAt('in') === undefined, 'RENAME out')
    await redis.del('shenma:environs:m2')
    await redis.hset('shenma:environs:m2', 'f', 'v')
    await waitUntil(
      () => live.current.diagnostics.some(({ id, code }) => id === 'm2' && code === 'unreadable'),
      'type',
    )
    await redis.flushdb()
    await waitUntil(() => live.current.environs.size + live.current.prompts.size === 0, 'FLUSHDB')
    expect(live.current.diagnostics).toEqual([])
  })

  it('fetches only what changed, and little under a burst', async () => {
    const live = await open(server.url)
    const calls = async () => Number(/cmdstat_mget:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1])
    const before = await calls()
    const loads = live.status.sync.fullLoads
    await Promise.all(
      Array.from({ length: 1000 }, (_, index) => redis.set(`shenma:environs:burst:${index}`, '1')),
    )
    await waitUntil(() => live.current.environs.size === 1001, 'the burst')
    expect((await calls()) - before).toBeLessThan(50)
    expect(live.status.sync.fullLoads).toBe(loads)
  })

  it('leaves the rest of the database and the globs in names alone', async () => {
    const pipeline = redis.pipeline()
    for (let index = 0; index < 5000; index += 1) pipeline.set(`other:${index}`, 'x')
    pipeline.set('shenma:environsx:no', '1').set('shenma:environs', '1').set('shenma:environs:*', '"star"')
    await pipeline.exec()
    const live = await open(server.url)
    expect(live.current.environs.ids()).toEqual(['*', 'a'])
    expect(await redis.info('commandstats')).not.toMatch(/cmdstat_keys:/)
  })

  it('reads an unknown prompt through once, for all who ask', async () => {
    const live = await open(server.url, PATIENT)
    await live.readThrough('warm.up')
    const calls = async () => Number(/cmdstat_mget:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1])
    const before = await calls()
    await Promise.all(Array.from({ length: 50 }, () => live.readThrough('no.such')))
    await live.readThrough('no.such')
    expect((await calls()) - before).toBe(1)
  })

  it('serves a prompt that was written a moment ago', async () => {
    // However long a busy machine takes for it.
    const live = await open(server.url, PATIENT)
    for (let round = 0; round < 50; round += 1) {
      await redis.set(`shenma:templates:new:p${round}`, '{"userPrompt":"x"}')
      const snapshot = await live.readThrough(`new.p${round}`)
      expect(snapshot.prompts.has(`new.p${round}`)).toBe(true)
    }
  })
})

describe('without tracking', () => {
  const grant = async (...rules: string[]) =>
    redis.acl('SETUSER', 'reader', 'reset', 'on', '>secret', '~shenma:*', ...rules)
  const url = () => server.url.replace('//', '//reader:secret@')

  it('needs few rights', async () => {
    await grant(
      '&__redis__:invalidate',
      '+scan',
      '+mget',
      '+type',
      '+ping',
      '+client|id',
      '+client|tracking',
      '+subscribe',
    )
    const live = await open(url())
    expect(live.status.store.mode).toBe('tracking')
    await redis.set('shenma:environs:a', '2')
    await waitUntil(() => valueAt('a') === 2, 'the change')
    await redis.del('shenma:environs:a')
    await redis.lpush('shenma:environs:a', 'x')
    await waitUntil(() => live.current.diagnostics.length === 1, 'the type')
  })

  it('uses keyspace notifications when tracking is refused', async () => {
    await redis.config('SET', 'notify-keyspace-events', 'KA')
    await grant('allchannels', '+scan', '+mget', '+type', '+ping', '+dbsize', '+config|get', '+psubscribe')
    const live = await open(url())
    expect(live.status.store.mode).toBe('keyspace')
    await redis.set('shenma:environs:a', '2')
    await waitUntil(() => valueAt('a') === 2, 'the change')
    await redis.flushdb()
    await waitUntil(() => live.current.environs.size === 0, 'FLUSHDB, which no notification tells')
  })

  it('polls when notifications are off too', async () => {
    await redis.config('SET', 'notify-keyspace-events', '')
    await grant('+scan', '+mget', '+type', '+ping', '+config|get')
    const live = await open(url())
    expect(live.status.store.mode).toBe('polling')
    await redis.set('shenma:environs:a', '2')
    await redis.del('shenma:templates:p:q')
    await waitUntil(() => valueAt('a') === 2 && live.current.prompts.size === 0, 'the poll')
  })
})
