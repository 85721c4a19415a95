import { type ChainableCommander, type Command, Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createRedisKeys } from '../../../src/store/redis-keys.js'
import { createRedisStore } from '../../../src/store/redis-store.js'
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

/** A client that holds on to everything it was asked. */
class RememberingRedis extends Redis {
  readonly sent: Command[] = []
  readonly pipelines: ChainableCommander[] = []

  override sendCommand(...given: Parameters<Redis['sendCommand']>): ReturnType<Redis['sendCommand']> {
    this.sent.push(given[0] as Command)
    return super.sendCommand(...given)
  }

  override pipeline(...given: Parameters<Redis['pipeline']>): ChainableCommander {
    const pipeline = super.pipeline(...given)
    this.pipelines.push(pipeline)
    return pipeline
  }
}

const keys = ['a', 'b', 'absent'].map((name) =>
  createRedisKeys('shenma').keyOf({ kind: 'environs', path: [name] }),
)

it('keys and bytes of MGET are let go once they are read, whoever holds the command and its reply', async () => {
  const client = new RememberingRedis(server.url)
  const documents = await readWithMget(client, keys, new ReplySizer())
  client.disconnect()
  expect(documents.map(({ content }) => content)).toMatchObject([{ text: '1' }, { text: '2' }])
  // What waits for the connection is sent twice.
  const commands = [...new Set(client.sent)].filter(({ name }) => name === 'mget')
  expect(commands.map(({ args }) => args)).toEqual([[]])
  expect(await Promise.all(commands.map(({ promise }) => promise))).toEqual([[]])
})

it('keys that a scan found are let go once they are read', async () => {
  const asked = vi.spyOn(Redis.prototype, 'scanBuffer')
  const store = createRedisStore({ url: server.url })
  try {
    await store.watch({ onChange: () => {}, onHealth: () => {} })
    const found = []
    for await (const documents of store.load({})) found.push(...documents)
    expect(found).toHaveLength(2)
    const replies = await Promise.all(asked.mock.results.map(({ value }) => value))
    expect(replies.map(([, keys]) => keys)).toEqual([[]])
  } finally {
    await store.close()
  }
})

it('bytes of many GETs are let go too', async () => {
  const client = new RememberingRedis(server.url)
  const { documents } = await readWithGet(client, keys)
  client.disconnect()
  expect(documents.map(({ content }) => content)).toMatchObject([{ text: '1' }, { text: '2' }])
  const replies = await Promise.all(client.pipelines.map((each) => Reflect.get(each, 'promise')))
  expect(replies).toEqual([Array.from({ length: 3 }, () => [null, null])])
})
