import type { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import type { RedisTimings } from '../../src/redis/redis-timings.js'
import { createRegistry, type RegistryOptions } from '../../src/registry/create-registry.js'
import type { Registry, RegistryLog } from '../../src/registry/registry.js'
import { createRedisStore } from '../../src/store/redis-store.js'
import { createWatchedEngine } from './watched-engine.js'

export interface OpenMirrorOptions {
  readonly timings?: Partial<RedisTimings>
  readonly options?: Partial<RegistryOptions>
  readonly log?: RegistryLog
  readonly keyPrefix?: string
}

/** Quick reactions, so that tests of faults do not take minutes. */
export const QUICK: Partial<RedisTimings> = {
  heartbeatMs: 50,
  timeoutMs: 600,
  maxReconnectMs: 50,
  pollMs: 200,
}

/** Opens a registry over Redis with quick reactions. */
export function openMirror(
  url: string,
  { timings, options, log, keyPrefix }: OpenMirrorOptions = {},
): Registry {
  return createRegistry({
    store: createRedisStore({
      url,
      timings: { ...QUICK, ...timings },
      ...(keyPrefix === undefined ? {} : { keyPrefix }),
    }),
    engine: createWatchedEngine(),
    log: log ?? { info: () => {}, warn: () => {} },
    ...(options === undefined ? {} : { options }),
  })
}

/** A registry over Redis after its first load, until the test is over. */
export async function readyMirror(url: string): Promise<Registry> {
  const registry = openMirror(url)
  onTestFinished(() => registry.close())
  await registry.whenReady()
  return registry
}

/** What Redis holds, as the mirror should show it: environs and the texts of prompts. */
export async function contentOf(redis: Redis, keys: readonly string[]): Promise<Record<string, string>> {
  const content: Record<string, string> = {}
  for (const key of keys) {
    if ((await redis.type(key)) !== 'string') continue
    const value = await redis.get(key)
    if (value !== null) content[key] = value
  }
  return content
}

/** What the mirror shows, in the same form. */
export function mirroredContent(registry: Registry): Record<string, string> {
  const content: Record<string, string> = {}
  for (const [, { location, value }] of registry.current.environs) content[location] = JSON.stringify(value)
  for (const [, { location, document }] of registry.current.prompts)
    content[location] = JSON.stringify(document)
  for (const [, { location, document }] of registry.current.tools)
    content[location] = JSON.stringify(document)
  return content
}
