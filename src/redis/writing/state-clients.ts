import type { Cluster, Redis } from 'ioredis'
import { commonOptions, newCluster } from '../new-client.js'
import { createPushClient } from '../reading/catalog-clients.js'
import { REDIS_TIMINGS, type RedisTimings, reconnectDelay } from '../redis-timings.js'
import type { RedisTarget } from '../redis-url.js'
import { createWritingClient } from './writing-client.js'

/** How long state waits for a connection and for any sign of life while a reply is due: a frozen server gives none. */
export const STATE_TIMEOUT_MS = 1_500

/** How often the server of state is tried: it has less time than that of the catalog. */
export const STATE_TIMINGS: RedisTimings = {
  ...REDIS_TIMINGS,
  timeoutMs: STATE_TIMEOUT_MS,
  maxReconnectMs: 250,
}

/** Opens the connection for writing sessions and tasks, always to the master. The caller closes it. */
export function createStateClient(target: RedisTarget): Redis {
  return createWritingClient(target, STATE_TIMINGS, {
    socketTimeout: STATE_TIMEOUT_MS,
    connectionName: 'ai-prompt-shell-state',
  })
}

/** The connections on which sessions and tasks are written in a cluster. */
export function createStateCluster(target: RedisTarget): Cluster {
  return newCluster(target, STATE_TIMINGS, {
    // A slot that moves refuses scripts until all keys of the record have moved.
    maxRedirections: 300,
    clusterRetryStrategy: (attempt) => reconnectDelay(attempt, STATE_TIMINGS),
    redisOptions: { ...commonOptions(target, STATE_TIMINGS), socketTimeout: STATE_TIMEOUT_MS },
  })
}

/** A connection for subscriptions of state. It ends when it is lost: its owner opens the next one. */
export function createStateSubscriber(target: RedisTarget, node?: Redis): Redis {
  return createPushClient(target, STATE_TIMINGS, node)
}
