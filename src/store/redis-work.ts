import type { Cluster, Redis } from 'ioredis'
import { errorMessage } from '../util/errors/error-message.js'
import { createClusterClient, createWorkClient, REDIS_TIMINGS } from './redis-client.js'
import { explainRefusal } from './redis-refusal.js'
import { parseRedisUrl } from './redis-url.js'

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

type Target = ReturnType<typeof parseRedisUrl>

function ofServer(target: Target): RedisWork {
  const client = createWorkClient(target, REDIS_TIMINGS)
  const { location } = target
  return { topology: 'server', client, location, nodes: () => [client], close: () => client.disconnect() }
}

function ofCluster(target: Target): RedisWork {
  const client = createClusterClient(target, REDIS_TIMINGS, () => null)
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
