import type { Cluster, Redis } from 'ioredis'
import { clusterClass, commonOptions, nodesOf } from '../new-client.js'
import type { RedisTarget } from '../redis-url.js'
import { STATE_TIMINGS } from './state-clients.js'
import { createWritingClient } from './writing-client.js'

/** How long the server may give no sign of life: longer than a worker waits for work in one go. */
const QUEUE_TIMEOUT_MS = 4_000

/**
 * The connections of the queue of tasks: commands wait for the server, and reads that block have time for it.
 */
export function createQueueClient(target: RedisTarget): Redis | Cluster {
  const options = {
    maxRetriesPerRequest: null,
    enableOfflineQueue: true,
    // With retries without end, what is on its way when the connection breaks would otherwise never be answered.
    autoResendUnfulfilledCommands: true,
    lazyConnect: false,
    socketTimeout: QUEUE_TIMEOUT_MS,
    connectionName: 'ai-prompt-shell-queue',
  } as const
  if (target.topology === 'cluster') {
    const redisOptions = { ...commonOptions(target, STATE_TIMINGS), ...options }
    const own = { maxRedirections: 300, scaleReads: 'master', redisOptions } as const
    const cluster = new (clusterClass())(nodesOf(target), own)
    cluster.on('error', () => {})
    return cluster
  }
  return createWritingClient(target, STATE_TIMINGS, options)
}
