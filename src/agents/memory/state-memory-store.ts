import type { ItemState, StoredItem } from '../../state/contract/item-state.js'
import { readStored } from '../../state/read-stored.js'
import { isJsonObject, type JsonObject, own } from '../../util/json/json.js'
import {
  type MemoryFilter,
  type MemoryItem,
  type MemoryStore,
  memoryNotFound,
  searchItems,
  selectItems,
} from './memory-store.js'

/** What is stored of an item under its id. */
type StoredMemory = JsonObject & Omit<MemoryItem, 'id'>

/** Keeps items in a namespace of state. Lists and searches read all of it: a namespace is for one application. */
export class StateMemoryStore implements MemoryStore {
  readonly #items: ItemState

  constructor(items: ItemState) {
    this.#items = items
  }

  save({ id, content, metadata, createdAt }: MemoryItem): Promise<void> {
    return this.#items.put(id, { content, metadata, createdAt })
  }

  async get(id: string): Promise<MemoryItem | undefined> {
    const value = await this.#items.get(id)
    return value && toItem({ id, value })
  }

  async list(filter: MemoryFilter = {}): Promise<readonly MemoryItem[]> {
    return selectItems(await this.#all(), filter)
  }

  async delete(id: string): Promise<void> {
    if (!(await this.#items.delete(id))) throw memoryNotFound(id)
  }

  async search(text: string): Promise<readonly MemoryItem[]> {
    return searchItems(await this.#all(), text)
  }

  /** By id, for an item that changes meanwhile may come twice. */
  async #all(): Promise<Iterable<MemoryItem>> {
    const found = new Map<string, MemoryItem>()
    for await (const page of this.#items.pages())
      for (const stored of page) found.set(stored.id, toItem(stored))
    return found.values()
  }
}

function toItem({ id, value }: StoredItem): MemoryItem {
  const { content, metadata, createdAt } = readStored(value, isStored, 'item of memory')
  return { id, content, metadata, createdAt }
}

function isStored(value: object): value is StoredMemory {
  return (
    isJsonObject(value) &&
    typeof own(value, 'content') === 'string' &&
    isJsonObject(own(value, 'metadata')) &&
    typeof own(value, 'createdAt') === 'number'
  )
}
