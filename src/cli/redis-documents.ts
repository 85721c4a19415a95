import { Redis } from 'ioredis'
import { KINDS } from '../store/store.js'
import { type JsonValue, parseJson, stringifyJson } from '../util/json.js'
import type { DocumentChange, Documents } from './document-diff.js'

const PAGE = 1_000

/** The catalog's keys in a Redis, for the commands that write on a person's behalf. */
export interface RedisDocuments {
  /** Every document by key; a value that is not JSON is its text. */
  read(): Promise<Documents>
  apply(changes: readonly DocumentChange[]): Promise<void>
  close(): void
}

/** Connects once, without retrying: a command says at once that nothing is there. @throws Error */
export async function openRedisDocuments(url: string, prefix: string): Promise<RedisDocuments> {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null })
  // The rejected command says only that the connection is closed.
  let reason: Error | undefined
  redis.on('error', (error: Error) => {
    reason = error
  })
  try {
    await redis.connect()
  } catch (error) {
    redis.disconnect()
    throw new Error(`cannot connect to ${withoutPassword(url)}: ${(reason ?? (error as Error)).message}`)
  }
  return {
    async read() {
      const documents = new Map<string, JsonValue>()
      for (const kind of KINDS) await readKind(redis, `${prefix}:${kind}:`, documents)
      return documents
    },
    async apply(changes) {
      // One transaction: readers see all of it or nothing.
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

async function readKind(redis: Redis, beginning: string, documents: Map<string, JsonValue>): Promise<void> {
  for await (const keys of redis.scanStream({ match: `${beginning}*`, count: PAGE }) as AsyncIterable<
    string[]
  >) {
    const values = keys.length === 0 ? [] : await redis.mget(keys)
    for (const [index, key] of keys.entries()) {
      const text = values[index]
      if (typeof text === 'string') documents.set(key, jsonOrText(text))
    }
  }
}

function jsonOrText(text: string): JsonValue {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//***@')
}
