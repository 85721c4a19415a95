import type { JsonObject } from '../util/json/json.js'
import type { ItemState } from './contract/item-state.js'

const PAGE = 200

/** Long-term items of one namespace, as long as the process lives. */
export function createMemoryItems(): ItemState {
  const items = new Map<string, JsonObject>()
  return {
    get: async (id) => items.get(id),
    put: async (id, value) => void items.set(id, value),
    delete: async (id) => items.delete(id),
    pages: () => pagesOf(items),
  }
}

async function* pagesOf(items: ReadonlyMap<string, JsonObject>) {
  const all = [...items].map(([id, value]) => ({ id, value }))
  for (let start = 0; start < all.length; start += PAGE) yield all.slice(start, start + PAGE)
}
