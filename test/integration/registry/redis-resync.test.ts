import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRegistry } from '../../../src/registry/create-registry.js'
import type { Registry } from '../../../src/registry/registry.js'
import { createRedisStore } from '../../../src/store/redis-store.js'
import type { Store } from '../../../src/store/store.js'
import { QUICK } from '../../support/redis-mirror.js'
import { type RedisServer, startRedisServer } from '../../support/redis-server.js'
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js'
import { waitUntil } from '../../support/wait-until.js'
import { createWatchedEngine } from '../../support/watched-engine.js'

const RESYNC_MS = 400
const NEVER_MS = 86_400_000
/** No more than these may a client of the catalog do. */
const RIGHTS =
  '~shenma:* &__redis__:invalidate +scan +mget +get +type +ping +client|id +client|tracking +subscribe'

type Values = Readonly<Record<string, unknown>>

const BEFORE: Values = { a: 1, b: 2, c: 3, unchanged: 'u' }
const key = (name: string) => `shenma:environs:${name}`

/** What a program may do while nobody is told, and what is to be served then. */
const CHANGES: readonly (readonly [
  name: string,
  change: (redis: Redis) => Promise<unknown>,
  after: Values,
])[] = [
  ['set', (redis) => redis.set(key('a'), '11'), { ...BEFORE, a: 11 }],
  ['a text of the same length', (redis) => redis.set(key('unchanged'), '"v"'), { ...BEFORE, unchanged: 'v' }],
  ['part of a value', (redis) => redis.setrange(key('unchanged'), 1, 'w'), { ...BEFORE, unchanged: 'w' }],
  ['a new key', (redis) => redis.set(key('d'), '4'), { ...BEFORE, d: 4 }],
  ['delete', (redis) => redis.del(key('a')), { b: 2, c: 3, unchanged: 'u' }],
  ['rename', (redis) => redis.rename(key('a'), key('e')), { b: 2, c: 3, e: 1, unchanged: 'u' }],
  ['rename over another', (redis) => redis.rename(key('a'), key('b')), { b: 1, c: 3, unchanged: 'u' }],
  ['expire', (redis) => redis.pexpire(key('a'), 1), { b: 2, c: 3, unchanged: 'u' }],
  ['flush', (redis) => redis.flushall(), {}],
  [
    'another type: the last good value stays',
    (redis) => redis.multi().del(key('a')).lpush(key('a'), 'x').exec(),
    BEFORE,
  ],
]

let server: RedisServer
let proxy: TcpProxy
let redis: Redis
let registry: Registry

beforeEach(async () => {
  server = await startRedisServer()
  proxy = await openTcpProxy(server.port)
  redis = new Redis(server.url)
  await redis.call('ACL', 'SETUSER', 'shell', 'on', '>secret', ...RIGHTS.split(' '))
  await redis.mset(
    Object.fromEntries(Object.entries(BEFORE).map(([name, value]) => [key(name), JSON.stringify(value)])),
  )
})

afterEach(async () => {
  await registry.close()
  redis.disconnect()
  await proxy.close()
  await server.stop()
})

/** A store that is told of changes, and tells nobody. */
function deaf(store: Store): Store {
  return {
    kind: store.kind,
    location: store.location,
    load: (options) => store.load(options),
    get: (addresses, options) => store.get(addresses, options),
    watch: ({ onHealth }) => store.watch({ onHealth, onChange: () => {} }),
    health: () => store.health(),
    unread: () => store.unread(),
    close: () => store.close(),
  }
}

async function open(
  resyncIntervalMs: number,
  wrap: (store: Store) => Store = (store) => store,
): Promise<void> {
  const url = proxy.url.replace('redis://', 'redis://shell:secret@')
  registry = createRegistry({
    store: wrap(createRedisStore({ url, timings: QUICK })),
    engine: createWatchedEngine(),
    log: { info: () => {}, warn: () => {} },
    options: { resyncIntervalMs },
  })
  await registry.whenReady()
}

/** What is served, as text. */
function served(): string {
  return textOf([...registry.current.environs].map(([id, { value }]) => [id, value]))
}

function textOf(values: readonly (readonly [name: string, value: unknown])[]): string {
  return values
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .sort()
    .join(' ')
}

async function expectRepair(name: string, after: Values): Promise<void> {
  const wanted = textOf(Object.entries(after))
  const isWrongType = name.startsWith('another type')
  const isRepaired = () => served() === wanted && registry.current.diagnostics.length === Number(isWrongType)
  await waitUntil(isRepaired, `${name} to be repaired: ${wanted}`)
}

describe.each(CHANGES)('%s', (name, change, after) => {
  it('is found by the next round when nobody tells it', async () => {
    await open(RESYNC_MS, deaf)
    await change(redis)
    await expectRepair(name, after)
  })

  it('is found when the connection comes back that was cut meanwhile', async () => {
    await open(NEVER_MS)
    proxy.down()
    await change(redis)
    proxy.restore()
    await expectRepair(name, after)
  })
})

it('a round takes only what is new', async () => {
  const read: string[] = []
  await open(RESYNC_MS, (store) => ({
    ...deaf(store),
    async *load(options) {
      for await (const batch of store.load(options)) {
        read.push(...batch.map(({ location }) => location))
        yield batch
      }
    },
  }))
  expect(read.sort()).toEqual(Object.keys(BEFORE).map(key))
  read.length = 0
  const { fullLoads } = registry.status.sync
  await redis.set(key('a'), '12')
  await waitUntil(() => registry.status.sync.fullLoads >= fullLoads + 3, 'three rounds')
  expect(read).toEqual([key('a')])
})
