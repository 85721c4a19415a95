import type { Cluster, Redis } from 'ioredis'
import { openRedisWork, type RedisWork } from '../redis/writing/redis-work.js'
import { escapeGlob } from '../store/redis-keys.js'
import { AUTHORED_KINDS } from '../store/store.js'
import { type JsonValue, jsonOrText, stringifyJson } from '../util/json/json.js'
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
  const work = await openRedisWork(url)
  return {
    ...(work.topology === 'cluster' ? ofCluster(work.client) : ofServer(work.client)),
    read: () => readAll(work, prefix),
    close: () => work.close(),
  }
}

function ofServer(redis: Redis): Pick<RedisDocuments, 'apply'> {
  return {
    async apply(changes) {
      // Readers see all of it or nothing.
      const transaction = redis.multi()
      for (const { name, after } of changes) {
        if (after === undefined) transaction.del(name)
        else transaction.set(name, stringifyJson(after))
      }
      await transaction.exec()
    },
  }
}

function ofCluster(cluster: Cluster): Pick<RedisDocuments, 'apply'> {
  return {
    async apply(changes) {
      for (const { name, after } of changes) {
        if (after === undefined) await cluster.del(name)
        else await cluster.set(name, stringifyJson(after))
      }
    },
  }
}

async function readAll(work: RedisWork, prefix: string): Promise<Documents> {
  const get = async (keys: string[]) =>
    work.topology === 'server' ? work.client.mget(keys) : Promise.all(keys.map((key) => work.client.get(key)))
  const documents = new Map<string, JsonValue>()
  for (const node of work.nodes()) {
    for (const kind of AUTHORED_KINDS) {
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
