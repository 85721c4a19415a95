import { type JsonObject, stringifyJson } from '../util/json/json.js'
import type { ItemState, StoredItem } from './contract/item-state.js'
import type { RedisConnection } from './redis-connection.js'
import { toMap, toObject } from './redis-replies.js'

/** About how many items come with one page. */
const PAGE = 200

/** Long-term items of one namespace, in one hash of Redis. */
export function createRedisItems(connection: RedisConnection, key: string): ItemState {
  const { client } = connection
  return {
    async get(id) {
      const text = await connection.repeat(() => client.hget(key, id))
      return text === null ? undefined : toObject(text)
    },
    async put(id: string, value: JsonObject) {
      const text = stringifyJson(value)
      await connection.repeat(() => client.hset(key, id, text))
    },
    async delete(id) {
      let isRepeated = false
      const deleted = await connection.repeat((again) => {
        isRepeated = again
        return client.hdel(key, id)
      })
      // The reply that was lost may have been the deletion's.
      return deleted > 0 || isRepeated
    },
    pages: () => pagesOf(connection, key),
  }
}

async function* pagesOf(connection: RedisConnection, key: string): AsyncIterable<readonly StoredItem[]> {
  const { client } = connection
  let cursor = '0'
  do {
    const from = cursor
    const [next, flat] = await connection.repeat(() => client.hscan(key, from, 'COUNT', PAGE))
    cursor = next
    yield [...toMap(flat)].map(([id, text]) => ({ id, value: toObject(text) }))
  } while (cursor !== '0')
}
