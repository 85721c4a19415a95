import type { Config } from './config.js'
import { configured } from './configured.js'
import { createState } from './state/create-state.js'
import type { StateStore } from './state/state-store.js'
import { systemClock } from './util/clock.js'
import type { Logger } from './util/logger.js'

/** The configured state of sessions and tasks, not opened yet. @param refusal why none may be kept in memory */
export function openState(config: Config, logger: Logger, refusal?: string): StateStore {
  const { stateUrl, redisUrl, keyPrefix, stateLeaseMs: leaseMs, sessionTtlMs: ttlMs } = config
  const url = stateUrl ?? redisUrl
  return configured('STATE_URL', () =>
    createState({ url, keyPrefix, leaseMs, ttlMs, logger, refusal, clock: systemClock }),
  )
}
