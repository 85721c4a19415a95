import { parseRedisUrl } from '../../redis/redis-url.js'
import type { ClockReading } from './check-clock.js'
import { withRedisServer } from './with-redis-server.js'

/** What time it is in a Redis; none where it cannot be asked or its user may not ask (`+time`). Never rejects. */
export async function readRedisClock(url: string, now: () => number): Promise<readonly ClockReading[]> {
  const target = parseRedisUrl(url)
  try {
    return await withRedisServer(target, async (server) => {
      const askedAt = now()
      const [seconds, microseconds] = await server.time()
      const there = Number(seconds) * 1_000 + Number(microseconds) / 1_000
      return [{ of: target.location, there, here: (askedAt + now()) / 2 }]
    })
  } catch {
    return []
  }
}
