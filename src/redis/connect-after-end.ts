import type { Redis } from 'ioredis'
import { type RedisTimings, reconnectDelay } from './redis-timings.js'

/**
 * Connects a client again that ended for good: a failover while it connects ends it, whatever its retry strategies say.
 */
export function connectAfterEnd(client: Redis, timings: RedisTimings): { stop(): void } {
  let attempt = 0
  let timer: NodeJS.Timeout | undefined
  const connect = () => void client.connect().catch(() => {})
  const onEnd = () => {
    attempt += 1
    timer = setTimeout(connect, reconnectDelay(attempt, timings))
  }
  client.on('end', onEnd)
  client.on('ready', () => {
    attempt = 0
  })
  return {
    stop() {
      client.off('end', onEnd)
      clearTimeout(timer)
    },
  }
}
