import type { Redis } from 'ioredis'
import type { RedisTarget } from '../../redis/redis-url.js'
import { createWorkClient, createWorkCluster } from '../../redis/writing/redis-work.js'

/** Connects once for a piece of work, to any server of a cluster. @throws Error when nothing is there, and as the work does */
export async function withRedisServer<Result>(
  target: RedisTarget,
  work: (server: Redis) => Promise<Result>,
): Promise<Result> {
  const client = target.topology === 'cluster' ? createWorkCluster(target) : createWorkClient(target)
  try {
    await client.connect()
    const server = 'nodes' in client ? client.nodes('master')[0] : client
    if (server === undefined) throw new Error('no master of the cluster is known')
    return await work(server)
  } finally {
    client.disconnect()
  }
}
