import type { Redis } from 'ioredis'
import { createClusterClient, createWorkClient, REDIS_TIMINGS } from '../../store/redis-client.js'
import { parseRedisUrl, type RedisTarget } from '../../store/redis-url.js'
import type { ClockReading } from './check-clock.js'

/** What time it is in a Redis; none where it cannot be asked or its user may not ask (`+time`). Never rejects. */
export async function readRedisClock(url: string, now: () => number): Promise<readonly ClockReading[]> {
  const target = parseRedisUrl(url)
  try {
    return await withServer(target, async (server) => {
      const askedAt = now()
      const [seconds, microseconds] = await server.time()
      const there = Number(seconds) * 1_000 + Number(microseconds) / 1_000
      return [{ of: target.location, there, here: (askedAt + now()) / 2 }]
    })
  } catch {
    return []
  }
}

/** Connects once, to any server of a cluster. */
async function withServer<Result>(
  target: RedisTarget,
  work: (server: Redis) => Promise<Result>,
): Promise<Result> {
  const isCluster = target.topology === 'cluster'
  const client = isCluster
    ? createClusterClient(target, REDIS_TIMINGS, () => null)
    : createWorkClient(target, REDIS_TIMINGS)
  try {
    await client.connect()
    const server = 'nodes' in client ? client.nodes('master')[0] : client
    if (server === undefined) throw new Error('no master of the cluster is known')
    return await work(server)
  } finally {
    client.disconnect()
  }
}
