import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createRedisKeys } from '../../../src/store/redis-keys.js'
import { ReplySizer, readWithGet, readWithMget } from '../../../src/store/redis-values.js'
import { type RedisServer, startRedisServer } from '../../support/redis-server.js'

let server: RedisServer
let redis: Redis

beforeAll(async () => {
  server = await startRedisServer()
  redis = new Redis(server.url)
  await redis.mset({ 'shenma:environs:a': '1', 'shenma:environs:b': '2' })
})

afterAll(async () => {
  redis.disconnect()
  await server.stop()
})

const keys = ['a', 'b', 'absent'].map((name) =>
  createRedisKeys('shenma').keyOf({ kind: 'environs', path: [name] }),
)

it('bytes of MGET are let go once they are read, whoever holds the reply', async () => {
  const asked = vi.spyOn(redis, 'mgetBuffer')
  const documents = await readWithMget(redis, keys, new ReplySizer())
  expect(documents.map(({ content }) => content)).toMatchObject([{ text: '1' }, { text: '2' }])
  const replies = await Promise.all(asked.mock.results.map(({ value }) => value))
  expect(replies).toEqual([[null, null, null]])
})

it('bytes of many GETs are let go too', async () => {
  const asked = vi.spyOn(redis, 'pipeline')
  const { documents } = await readWithGet(redis, keys)
  expect(documents.map(({ content }) => content)).toMatchObject([{ text: '1' }, { text: '2' }])
  const replies = await Promise.all(asked.mock.results.map(({ value }) => Reflect.get(value, 'promise')))
  expect(replies).toEqual([Array.from({ length: 3 }, () => [null, null])])
})
