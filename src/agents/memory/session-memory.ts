import { formatSnapshot } from '../system-prompt.js'
import { type MemoryItem, type MemoryStore, memoryNotFound, namespaceOf } from './memory-store.js'

/**
 * The memory that the contexts of one session share: texts by key, written by the application or by the model through a
 * tool, never by themselves.
 */
export class SessionMemory {
  readonly #store: MemoryStore
  readonly #prefix: string
  readonly #now: () => number

  constructor(store: MemoryStore, session: string, now: () => number = Date.now) {
    this.#store = store
    this.#prefix = namespaceOf('session', session)
    this.#now = now
  }

  async set(key: string, value: string): Promise<void> {
    await this.#store.save({ id: this.#prefix + key, content: value, metadata: {}, createdAt: this.#now() })
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.#store.get(this.#prefix + key))?.content
  }

  /** True when there was something under the key. */
  async remove(key: string): Promise<boolean> {
    try {
      await this.#store.delete(this.#prefix + key)
      return true
    } catch (error) {
      if (isNotFound(error)) return false
      throw error
    }
  }

  /** Forgets everything of this session, and nothing of another. */
  async clear(): Promise<void> {
    const items = await this.#items()
    await Promise.all(items.map(({ id }) => this.remove(id.slice(this.#prefix.length))))
  }

  /** Everything by key, keys in ascending order. */
  async entries(): Promise<readonly (readonly [key: string, value: string])[]> {
    const items = await this.#items()
    return items.map(({ id, content }) => [id.slice(this.#prefix.length), content] as const)
  }

  /** Everything as text for a system prompt; empty when nothing is remembered. */
  async snapshot(): Promise<string> {
    return formatSnapshot(await this.entries())
  }

  #items(): Promise<readonly MemoryItem[]> {
    return this.#store.list({ prefix: this.#prefix })
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === memoryNotFound('').code
}
