import type { Cluster, Redis } from 'ioredis'
import { createClusterClient, createWorkClient, REDIS_TIMINGS } from '../store/redis-client.js'
import { escapeGlob } from '../store/redis-keys.js'
import { explainRefusal } from '../store/redis-refusal.js'
import { parseRedisUrl, type RedisTarget } from '../store/redis-url.js'
import { KINDS } from '../store/store.js'
import { errorMessage } from '../util/error-message.js'
import { type JsonValue, jsonOrText, stringifyJson } from '../util/json.js'
import type { DocumentChange, Documents } from './document-diff.js'

const PAGE = 1_000

/** The catalog's keys in a Redis, for the commands that write on a person's behalf. */
export interface RedisDocuments {
  /** Every document by key; a value that is not JSON is its text. */
  read(): Promise<Documents>
  /** In one transaction; in a cluster, which has none over all keys, one after the other. */
  apply(changes: readonly DocumentChange[]): Promise<void>
  close(): void
}

/**
 * Connects once, without retrying: a command says at once that nothing is there.
 *
 * @throws RedisUrlError, Error
 */
export async function openRedisDocuments(url: string, prefix: string): Promise<RedisDocuments> {
  const target = parseRedisUrl(url)
  const documents = target.topology === 'cluster' ? ofCluster(target, prefix) : ofServer(target, prefix)
  try {
    await documents.connect()
  } catch (error) {
    documents.close()
    throw new Error(`cannot connect to ${target.location}: ${explanation(error)}`, { cause: error })
  }
  return documents
}

interface Connectable extends RedisDocuments {
  connect(): Promise<unknown>
}

function ofServer(target: RedisTarget, prefix: string): Connectable {
  const redis = createWorkClient(target, REDIS_TIMINGS)
  const lastError = rememberError(redis)
  return {
    async connect() {
      await redis.connect().catch((error: unknown) => Promise.reject(lastError() ?? error))
      await redis.ping()
    },
    read: () => readAll([redis], prefix, (keys) => redis.mget(keys)),
    async apply(changes) {
      // Readers see all of it or nothing.
      const transaction = redis.multi()
      for (const { name, after } of changes) {
        if (after === undefined) transaction.del(name)
        else transaction.set(name, stringifyJson(after))
      }
      await transaction.exec()
    },
    close: () => redis.disconnect(),
  }
}

function ofCluster(target: RedisTarget, prefix: string): Connectable {
  const cluster = createClusterClient(target, REDIS_TIMINGS, () => null)
  const lastError = rememberError(cluster)
  return {
    connect: () => cluster.connect().catch((error: unknown) => Promise.reject(lastError() ?? error)),
    read: () =>
      readAll(cluster.nodes('master'), prefix, (keys) => Promise.all(keys.map((key) => cluster.get(key)))),
    async apply(changes) {
      for (const { name, after } of changes) {
        if (after === undefined) await cluster.del(name)
        else await cluster.set(name, stringifyJson(after))
      }
    },
    close: () => cluster.disconnect(),
  }
}

/** The connection's own error: what a failed `connect` rejects with says only that it is closed. */
function rememberError(client: Redis | Cluster): () => Error | undefined {
  let last: Error | undefined
  client.on('error', (error: Error & { lastNodeError?: Error }) => {
    last = error.lastNodeError ?? error
  })
  return () => last
}

async function readAll(
  nodes: readonly Redis[],
  prefix: string,
  get: (keys: string[]) => Promise<readonly (string | null)[]>,
): Promise<Documents> {
  const documents = new Map<string, JsonValue>()
  for (const node of nodes) {
    for (const kind of KINDS) {
      const pages = node.scanStream({
        match: `${escapeGlob(prefix)}:${kind}:*`,
        count: PAGE,
      })
      for await (const keys of pages) {
        const values = keys.length === 0 ? [] : await get(keys)
        for (const [index, key] of keys.entries()) {
          const text = values[index]
          if (typeof text === 'string') documents.set(key, jsonOrText(text))
        }
      }
    }
  }
  return documents
}

function explanation(error: unknown): string {
  const message = errorMessage(error)
  return explainRefusal(message) ?? message
}
