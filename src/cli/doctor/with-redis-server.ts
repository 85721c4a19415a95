import type { Redis } from 'ioredis'
import { createClusterClient, createWorkClient, REDIS_TIMINGS } from '../../store/redis-client.js'
import type { RedisTarget } from '../../store/redis-url.js'

/** Connects once for a piece of work, to any server of a cluster. @throws Error when nothing is there, and as the work does */
export async function withRedisServer<Result>(
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
