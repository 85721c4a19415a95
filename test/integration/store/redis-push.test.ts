import { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRedisStore } from '../../../src/store/redis-store.js'
import type { Store } from '../../../src/store/store.js'
import { type RedisServer, startRedisServer } from '../../support/redis-server.js'
import { waitUntil } from '../../support/wait-until.js'

const MANY = 5_000

let server: RedisServer
let redis: Redis
let store: Store

beforeEach(async () => {
  server = await startRedisServer()
  redis = new Redis(server.url)
  store = createRedisStore({ url: server.url })
})

afterEach(async () => {
  await store.close()
  redis.disconnect()
  await server.stop()
})

it('tells many keys that one command changed a part at a time, all of them', async () => {
  const parts: number[] = []
  const told = new Set<string>()
  await store.watch({
    onChange: (change) => {
      if (change.kind === 'everything') return
      parts.push(change.addresses.length)
      for (const { path } of change.addresses) told.add(path.join('.'))
    },
    onHealth: () => {},
  })
  const pairs = Array.from({ length: MANY }, (_, index) => [`shenma:environs:load:n${index}`, '{}'])
  await redis.mset(...pairs.flat())
  await waitUntil(() => told.size === MANY, 'all keys')
  expect(Math.max(...parts)).toBeLessThanOrEqual(1_000)
})
