import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { expect, it } from 'vitest'
import type { Registry } from '../../../src/registry/registry.js'
import type { Snapshot } from '../../../src/registry/snapshot.js'
import { createSnapshot } from '../../support/create-snapshot.js'
import { documentsOf } from '../../support/documents.js'
import { HAS_TIME } from '../../support/has-time.js'
import { createRandom, type Random } from '../../support/random.js'
import { openMirror } from '../../support/redis-mirror.js'
import { type RedisServer, startRedisServer } from '../../support/redis-server.js'
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js'
import { waitUntil } from '../../support/wait-until.js'
import { createWatchedEngine } from '../../support/watched-engine.js'

const SEED = Number(process.env['CHAOS_SEED'] ?? 20_260_101)
const INJECTIONS = HAS_TIME ? 200 : 10
const KEYS = 60

interface World {
  readonly random: Random
  readonly server: RedisServer
  readonly proxy: TcpProxy
  readonly redis: Redis
}

/** One random write of any kind. */
async function write({ random, redis }: World): Promise<unknown> {
  const key = () => keyAt(random.below(KEYS))
  const target = key()
  const value = valueFor(target, random)
  switch (random.below(10)) {
    case 0:
      return redis.del(target, key())
    case 1:
      return redis.rename(target, key()).catch(() => {})
    case 2:
      return redis.multi().del(target).lpush(target, 'of another type').exec()
    case 3:
      return redis.set(target, value, 'PX', 1 + random.below(60))
    case 4:
      return redis.mset(
        Object.fromEntries([key(), key(), key()].map((name) => [name, valueFor(name, random)])),
      )
    case 5:
      return redis.set(target, '{"broken": ')
    case 6:
      return random.below(8) === 0 ? redis.flushdb() : redis.set(`unrelated:${random.below(50)}`, 'x')
    default:
      return redis.set(target, value)
  }
}

function keyAt(index: number): string {
  if (index % 5 === 0) return `shenma:templates:ext:p${index}`
  if (index % 11 === 0) return 'shenma:extensions:ext'
  return `shenma:environs:dir${index % 3}:k,${index}`
}

function valueFor(key: string, random: Random): string {
  const text = `v${random.below(1_000_000)}`
  if (key.includes(':templates:')) return JSON.stringify({ userPrompt: text })
  if (!key.includes(':extensions:')) return JSON.stringify(text)
  return JSON.stringify({ name: 'ext', contributes: { prompts: [{ name: 'p0', userPrompt: text }] } })
}

/** One random fault; writes go on while it lasts. */
async function inject(world: World): Promise<string> {
  const { random, server, proxy, redis } = world
  const during = async (ms: number) => {
    const end = performance.now() + ms
    while (performance.now() < end) await write(world)
  }
  const faults: readonly (readonly [name: string, run: () => Promise<unknown>])[] = [
    ['cut', async () => proxy.cut()],
    [
      'down',
      async () => {
        proxy.down()
        await during(20 + random.below(80))
        proxy.restore()
      },
    ],
    [
      'freeze',
      async () => {
        proxy.freeze()
        await during(20 + random.below(100))
        proxy.restore()
      },
    ],
    [
      'delay',
      async () => {
        proxy.delay(1 + random.below(40))
        await during(50)
        proxy.restore()
      },
    ],
    ['kill push', () => redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub')],
    ['kill commands', () => redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')],
    [
      'kill both',
      async () => {
        await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
        proxy.cut()
      },
    ],
    [
      'pause',
      async () => {
        server.pause()
        await sleep(random.below(80))
        server.resume()
      },
    ],
    ['client pause', () => redis.call('CLIENT', 'PAUSE', String(random.below(60)), 'ALL')],
    ['flush', () => redis.flushall()],
  ]
  const [name, run] = random.pick(faults)
  await during(2)
  await run()
  await during(2)
  return name
}

/** The snapshot that Redis should give now. */
async function truth(redis: Redis): Promise<Snapshot> {
  const catalog: Record<string, string> = {}
  const unreadable: string[] = []
  for (const key of await redis.keys('shenma:*')) {
    const type = await redis.type(key)
    if (type === 'string') catalog[key.slice('shenma:'.length)] = (await redis.get(key)) ?? ''
    else if (type !== 'none') unreadable.push(key)
  }
  const documents = unreadable.map((location) => {
    const [document] = documentsOf({ [location.slice('shenma:'.length)]: '' })
    const content = { kind: 'unreadable', problem: 'the key holds a list, not a string' } as const
    return { ...document, location, content } as never
  })
  return createSnapshot([...documentsOf(catalog), ...documents], createWatchedEngine())
}

/** True when every document is mirrored; a broken one may have its last good version beside its diagnostic. */
function differences(live: Snapshot, expected: Snapshot): string[] {
  const found: string[] = live.revision === expected.revision ? [] : ['revision']
  const broken = new Set(expected.diagnostics.map(({ location }) => location))
  for (const kind of ['environs', 'prompts', 'extensions'] as const) {
    for (const [id, entry] of expected[kind]) {
      const mirrored = live[kind].get(id)
      if (mirrored?.revision === entry.revision) continue
      if (!broken.has(mirrored?.location ?? entry.location)) found.push(`${id} differs`)
    }
    for (const [id, { location }] of live[kind]) {
      if (!expected[kind].has(id) && !broken.has(location)) found.push(`${id} too many`)
    }
  }
  return found
}

/** Renders every prompt again and again; `once` does so at a moment that the test chooses. */
function startRenders(registry: Registry): {
  once(): void
  stop(): void
  readonly rendered: number
  readonly failed: unknown[]
} {
  const state = { rendered: 0, failed: [] as unknown[] }
  const once = () => {
    try {
      const snapshot = registry.current
      for (const [, prompt] of snapshot.prompts) {
        const compiled = registry.compiled(snapshot, prompt)
        if (compiled.kind === 'prompt' && !/^v\d+$/.test(compiled.template.renderSync({})))
          throw new Error(prompt.id)
        state.rendered += 1
      }
    } catch (error) {
      state.failed.push(error)
    }
  }
  const timer = setInterval(once, 3)
  return {
    once,
    stop: () => clearInterval(timer),
    get rendered() {
      return state.rendered
    },
    failed: state.failed,
  }
}

it(`equals Redis key for key after each of ${INJECTIONS} random faults (CHAOS_SEED=${SEED})`, async () => {
  const server = await startRedisServer()
  const proxy = await openTcpProxy(server.port)
  const redis = new Redis(server.url, { maxRetriesPerRequest: null })
  const world: World = { random: createRandom(SEED), server, proxy, redis }
  const registry = openMirror(proxy.url, { options: { resyncIntervalMs: 100_000 } })
  try {
    await registry.whenReady()
    const renders = startRenders(registry)
    for (let injection = 0; injection < INJECTIONS; injection += 1) {
      const name = await inject(world)
      let last: string[] = []
      await waitUntil(
        async () => {
          last = differences(registry.current, await truth(redis))
          return last.length === 0
        },
        `injection ${injection}, ${name}, to be repaired`,
        10_000,
      ).catch((error: Error) => {
        throw new Error(`${error.message}: ${last.join(', ')}`)
      })
      renders.once()
    }
    renders.stop()
    expect(renders.failed).toEqual([])
    expect(renders.rendered).toBeGreaterThan(INJECTIONS)
  } finally {
    redis.disconnect()
    await registry.close()
    await proxy.close()
    await server.stop()
  }
}, 240_000)
