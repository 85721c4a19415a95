import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { expect, inject, it, onTestFinished } from 'vitest'
import { createRedisState } from '../../../src/state/redis-state.js'
import { silentLogger } from '../../../src/util/telemetry/logger.js'

const DAY_MS = 24 * 3_600_000
const MANY = 62

it('keys of turns whose time is over go when new ones come', async () => {
  const [url, keyPrefix, id] = [inject('redisUrl'), `keys-${randomUUID()}`, randomUUID()]
  const redis = new Redis(url)
  const store = createRedisState({
    url,
    keyPrefix,
    leaseMs: 10_000,
    ttlMs: 3_600_000,
    logger: silentLogger(),
  })
  onTestFinished(async () => {
    redis.disconnect()
    await store.close()
  })
  await store.open()
  await store.create({ kind: 'session', id, owner: '-', token: id, head: {} })
  const claims = `${keyPrefix}-state:s:{${id}}:i`
  const old = Date.now() - DAY_MS - 60_000
  for (let turn = 1; turn <= MANY; turn += 1) await redis.hset(claims, `old-${turn}`, `${turn} ${old} hash`)
  await redis.hset(claims, 'recent', `1 ${Date.now()} hash`)
  const idempotency = { key: 'new', bodyHash: 'hash' }
  await store.begin({ address: { kind: 'session', id }, by: 'a', purpose: 'start', idempotency })
  expect((await redis.hkeys(claims)).sort()).toEqual(['new', 'recent'])
})
