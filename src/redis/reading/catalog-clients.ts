import type { Cluster, Redis } from 'ioredis'
import {
  commandClass,
  commonOptions,
  newClient,
  newCluster,
  nodeOptions,
  ONCE,
  retrying,
  serverOptions,
} from '../new-client.js'
import { type RedisTimings, reconnectDelay } from '../redis-timings.js'
import type { RedisTarget } from '../redis-url.js'

/** The connection on which documents are read from the one master. It connects again by itself. */
export function createCommandClient(target: RedisTarget, timings: RedisTimings): Redis {
  return newClient(target, timings, {
    ...serverOptions(target),
    ...retrying(timings),
    commandTimeout: timings.timeoutMs,
    connectionName: 'ai-prompt-shell',
  })
}

/**
 * MGET as buffers. Clears the command's arguments afterwards: commands of ioredis form a chain that survives minor GCs and
 * would keep all keys alive.
 */
export async function mget(client: Redis, keys: readonly string[]): Promise<(Buffer | null)[]> {
  const command = new (commandClass())('mget', [...keys], { replyEncoding: null })
  const values = await client.sendCommand(command)
  command.args.length = 0
  return Array.isArray(values) ? values : []
}

/** A connection that changes are published on. It ends when it is lost: its owner opens the next one. */
export function createPushClient(target: RedisTarget, timings: RedisTimings, node?: Redis): Redis {
  const server = node === undefined ? serverOptions(target) : nodeOptions(node)
  return newClient(target, timings, { ...server, ...ONCE, connectionName: 'ai-prompt-shell-push' })
}

/** The connections on which documents are read from a cluster. */
export function createClusterClient(target: RedisTarget, timings: RedisTimings): Cluster {
  return newCluster(target, timings, {
    maxRedirections: 8,
    clusterRetryStrategy: (attempt) => reconnectDelay(attempt, timings),
    redisOptions: { ...commonOptions(target, timings), commandTimeout: timings.timeoutMs },
  })
}
