import type { Redis } from 'ioredis'
import { newClient, type RedisClientOptions, retrying, serverOptions } from '../new-client.js'
import type { RedisTimings } from '../redis-timings.js'
import type { RedisTarget } from '../redis-url.js'

/**
 * A connection to the one master that writes. A master that became a replica refuses to write: the master is elsewhere now. It
 * is left once, however many commands it refuses, for ioredis takes another listener each time.
 */
export function createWritingClient(
  target: RedisTarget,
  timings: RedisTimings,
  options: RedisClientOptions,
): Redis {
  let isLeaving = false
  const client = newClient(target, timings, {
    ...serverOptions(target),
    ...retrying(timings),
    ...options,
    reconnectOnError(error) {
      if (isLeaving || target.topology !== 'sentinel' || !error.message.startsWith('READONLY')) return false
      isLeaving = true
      return true
    },
  })
  client.on('ready', () => {
    isLeaving = false
  })
  return client
}
