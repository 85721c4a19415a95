import { inject } from 'vitest'
import { MAX_RECORD_BYTES } from '../../src/state/limits.js'
import { createMemoryState } from '../../src/state/memory-state.js'
import { createRedisState } from '../../src/state/redis-state.js'
import type { StateStore } from '../../src/state/state-store.js'
import { silentLogger } from '../../src/util/telemetry/logger.js'
import { systemClock } from '../../src/util/time/clock.js'
import { startRedisCluster, startRedisSentinel } from './redis-topologies.js'

/** Something that keeps state. The caller stops it. */
export interface StateBackend {
  /** Opens a replica's store: another connection to the same state, where processes can share it. */
  open(options?: {
    readonly leaseMs?: number
    readonly ttlMs?: number
    readonly maxRecordBytes?: number
    /** By another way to the same server. */
    readonly url?: string
  }): Promise<StateStore>
  stop(): Promise<void>
}

/** Every kind of store, by its name. */
export const STATE_BACKENDS = {
  memory: startMemory,
  Redis: async () => redisBackend(inject('redisUrl'), async () => {}),
  Sentinel: async () => {
    const servers = await startRedisSentinel()
    return redisBackend(servers.url, servers.stop)
  },
  Cluster: async () => {
    const servers = await startRedisCluster()
    return redisBackend(servers.url, servers.stop)
  },
} as const satisfies Record<string, () => Promise<StateBackend>>

/** Soon, so that tests need not wait. */
const TASK_CHECK_MS = 300
const WEEK_MS = 7 * 24 * 3_600_000

async function startMemory(): Promise<StateBackend> {
  const stores = new Map<string, StateStore>()
  return {
    async open({ leaseMs = 10_000, ttlMs = WEEK_MS, maxRecordBytes = MAX_RECORD_BYTES } = {}) {
      const name = `${leaseMs} ${ttlMs} ${maxRecordBytes}`
      const store =
        stores.get(name) ??
        createMemoryState({ clock: systemClock, leaseMs, ttlMs, maxRecordBytes, taskCheckMs: TASK_CHECK_MS })
      stores.set(name, store)
      await store.open()
      return store
    },
    stop: async () => void (await Promise.all([...stores.values()].map((store) => store.close()))),
  }
}

/** State under a prefix of its own. */
export function redisBackend(url: string, stop: () => Promise<void>): StateBackend {
  const keyPrefix = `state-${Math.random().toString(36).slice(2)}`
  const stores: StateStore[] = []
  return {
    async open({
      leaseMs = 10_000,
      ttlMs = WEEK_MS,
      maxRecordBytes = MAX_RECORD_BYTES,
      url: way = url,
    } = {}) {
      const store = createRedisState({
        url: way,
        keyPrefix,
        leaseMs,
        ttlMs,
        maxRecordBytes,
        taskCheckMs: TASK_CHECK_MS,
        logger: silentLogger(),
      })
      stores.push(store)
      await store.open()
      return store
    },
    async stop() {
      await Promise.all(stores.map((store) => store.close()))
      await stop()
    },
  }
}
