import type { Cluster, Redis } from 'ioredis'
import { errorMessage } from '../../util/errors/error-message.js'
import { commonOptions, newClient, newCluster, ONCE, serverOptions } from '../new-client.js'
import { explainRefusal } from '../redis-refusal.js'
import { REDIS_TIMINGS } from '../redis-timings.js'
import { parseRedisUrl, type RedisTarget } from '../redis-url.js'

/** A connection for the work of one command. The caller closes it. */
export type RedisWork = (
  | { readonly topology: 'server'; readonly client: Redis }
  | { readonly topology: 'cluster'; readonly client: Cluster }
) & {
  /** The url without its password. */
  readonly location: string
  /** Every server that holds keys. */
  nodes(): readonly Redis[]
  close(): void
}

/**
 * Connects once, without retrying: a command says at once that nothing is there.
 *
 * @throws RedisUrlError, Error
 */
export async function openRedisWork(url: string): Promise<RedisWork> {
  const target = parseRedisUrl(url)
  const work = target.topology === 'cluster' ? ofCluster(target) : ofServer(target)
  const lastError = rememberError(work.client)
  try {
    await work.client.connect().catch((error: unknown) => Promise.reject(lastError() ?? error))
    if (work.topology === 'server') await work.client.ping()
  } catch (error) {
    work.close()
    throw new Error(`cannot connect to ${target.location}: ${explanation(error)}`, { cause: error })
  }
  return work
}

/** A connection for one piece of work, which fails at once when nothing is there. The caller connects and closes it. */
export function createWorkClient(target: RedisTarget): Redis {
  const server = serverOptions(target)
  return newClient(target, REDIS_TIMINGS, { ...server, ...ONCE, connectionName: 'ai-prompt-shell-work' })
}

/** Connections to a cluster for one piece of work, which fail at once, too. The caller connects and closes them. */
export function createWorkCluster(target: RedisTarget): Cluster {
  return newCluster(target, REDIS_TIMINGS, {
    maxRedirections: 8,
    clusterRetryStrategy: () => null,
    redisOptions: { ...commonOptions(target, REDIS_TIMINGS), commandTimeout: REDIS_TIMINGS.timeoutMs },
  })
}

function ofServer(target: RedisTarget): RedisWork {
  const client = createWorkClient(target)
  const { location } = target
  return { topology: 'server', client, location, nodes: () => [client], close: () => client.disconnect() }
}

function ofCluster(target: RedisTarget): RedisWork {
  const client = createWorkCluster(target)
  const nodes = () => client.nodes('master')
  return { topology: 'cluster', client, location: target.location, nodes, close: () => client.disconnect() }
}

/** The connection's own error: what a failed `connect` rejects with says only that it is closed. */
function rememberError(client: Redis | Cluster): () => Error | undefined {
  let last: Error | undefined
  client.on('error', (error: Error & { lastNodeError?: Error }) => {
    last = error.lastNodeError ?? error
  })
  return () => last
}

function explanation(error: unknown): string {
  const message = errorMessage(error)
  return explainRefusal(message) ?? message
}
