import { ServiceError } from '../../errors.js'
import type { JsonObject } from '../../util/json/json.js'

/** Something remembered, under an id its writer chooses. */
export interface MemoryItem {
  readonly id: string
  readonly content: string
  readonly metadata: JsonObject
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** Which items a list has; no field means all. */
export interface MemoryFilter {
  /** Only ids that begin so. */
  readonly prefix?: string
  /** Maximum number of entries, the first by id. */
  readonly limit?: number
}

/**
 * Where agents keep what they remember: in this process, in Redis, or wherever an embedder likes. One store serves
 * many readers; ids are its only names.
 *
 * @throws ServiceError `memory_not_found` from `delete` of an unknown id, `state_unavailable` when the store is away
 */
export interface MemoryStore {
  /** Writes the item, in place of an earlier one with its id. */
  save(item: MemoryItem): Promise<void>
  get(id: string): Promise<MemoryItem | undefined>
  /** In ascending order of ids. */
  list(filter?: MemoryFilter): Promise<readonly MemoryItem[]>
  delete(id: string): Promise<void>
  /** Items whose content has the text, without regard to case, in ascending order of ids. */
  search(text: string): Promise<readonly MemoryItem[]>
}

/** Keeps items in this process; they are gone with it. */
export class InMemoryStore implements MemoryStore {
  readonly #items = new Map<string, MemoryItem>()

  async save(item: MemoryItem): Promise<void> {
    this.#items.set(item.id, Object.freeze({ ...item }))
  }

  async get(id: string): Promise<MemoryItem | undefined> {
    return this.#items.get(id)
  }

  async list(filter: MemoryFilter = {}): Promise<readonly MemoryItem[]> {
    return selectItems(this.#items.values(), filter)
  }

  async delete(id: string): Promise<void> {
    if (!this.#items.delete(id)) throw memoryNotFound(id)
  }

  async search(text: string): Promise<readonly MemoryItem[]> {
    return searchItems(this.#items.values(), text)
  }
}

/** The items a filter lets through, sorted by id: the one meaning of a filter, for every store. */
export function selectItems(
  items: Iterable<MemoryItem>,
  { prefix = '', limit }: MemoryFilter,
): readonly MemoryItem[] {
  const found = [...items].filter(({ id }) => id.startsWith(prefix)).sort(byId)
  return limit === undefined ? found : found.slice(0, limit)
}

/** The items whose content has a text, sorted by id: the one meaning of a search, for every store. */
export function searchItems(items: Iterable<MemoryItem>, text: string): readonly MemoryItem[] {
  const wanted = text.toLowerCase()
  return [...items].filter(({ content }) => content.toLowerCase().includes(wanted)).sort(byId)
}

/**
 * The beginning of all ids that belong to one owner, such as `_session_a:`. No owner's begins with another's: a colon in
 * a name is written `%3A`.
 */
export function namespaceOf(kind: string, owner: string): string {
  return `_${kind}_${owner.replaceAll('%', '%25').replaceAll(':', '%3A')}:`
}

/** What `delete` throws for an id that is not there. */
export function memoryNotFound(id: string): ServiceError {
  return new ServiceError('memory_not_found', `Nothing is remembered as "${id}"`)
}

function byId(one: MemoryItem, other: MemoryItem): number {
  if (one.id === other.id) return 0
  return one.id < other.id ? -1 : 1
}
