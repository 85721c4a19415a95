import type { MemoryStore } from './memory-store.js'
import { StateMemoryStore } from './state-memory-store.js'

/** Where items lie in Redis. */
export interface RedisMemoryAddress {
  /** Of one server, of sentinels or of a cluster: `redis://…`, `redis+sentinel://…`, `redis+cluster://…`. */
  readonly url: string
  /** Stores of one namespace share their items. */
  readonly namespace: string
  /** Keys begin with it, as those of the service do. Default `shenma`. */
  readonly keyPrefix?: string
}

/** A memory store with a connection of its own. */
export interface RedisMemory extends MemoryStore {
  close(): void
}

/**
 * Opens a memory store in Redis, which outlives the program and which several programs may share. Operations are
 * retried for two seconds while Redis is away; then they fail with `state_unavailable`. The caller closes it.
 *
 * @throws RedisUrlError if the URL is invalid
 */
export async function openRedisMemory({
  url,
  namespace,
  keyPrefix = 'shenma',
}: RedisMemoryAddress): Promise<RedisMemory> {
  // Read when it is asked for: programs without Redis need none of it.
  const { RedisConnection } = await import('../../state/redis-connection.js')
  const { createRedisItems } = await import('../../state/redis-items.js')
  const { createStateKeys } = await import('../../state/state-keys.js')
  const { parseRedisUrl } = await import('../../redis/redis-url.js')
  const connection = new RedisConnection(parseRedisUrl(url))
  await connection.open()
  const items = createRedisItems(connection, createStateKeys(keyPrefix).items(namespace))
  return Object.assign(new StateMemoryStore(items), { close: () => connection.close() })
}
