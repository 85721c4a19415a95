import type { Config } from './config.js'
import { configured } from './configured.js'
import { createMemoryState } from './state/memory-state.js'
import type { StateStore } from './state/state-store.js'
import type { Logger } from './util/telemetry/logger.js'
import { systemClock as clock } from './util/time/clock.js'

/**
 * The configured state of sessions and tasks, not opened yet: in Redis, or without one in memory.
 *
 * @param refusal why none may be kept in memory
 */
export async function openState(config: Config, logger: Logger, refusal?: string): Promise<StateStore> {
  const { stateUrl, redisUrl, keyPrefix, stateLeaseMs: leaseMs, sessionTtlMs: ttlMs } = config
  const responseTtlMs = config.responsesTtlMs
  const url = stateUrl ?? redisUrl
  if (url === undefined) return createMemoryState({ leaseMs, ttlMs, responseTtlMs, refusal, clock })
  const { createRedisState } = await import('./state/redis-state.js')
  return configured('STATE_URL', () =>
    createRedisState({ url, keyPrefix, leaseMs, ttlMs, responseTtlMs, logger }),
  )
}
