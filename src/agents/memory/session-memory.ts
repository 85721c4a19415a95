import { type MemoryItem, type MemoryStore, memoryNotFound, namespaceOf } from './memory-store.js'

/** Longest key and value, in UTF-16 units. */
export const MAX_MEMORY_KEY = 256
export const MAX_MEMORY_VALUE = 32_768

const OPEN = '<session-context>'
const CLOSE = '</session-context>'

/**
 * What the contexts of one session tell each other: texts by key, written by the application or by the model through a
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

/**
 * The text of a session's memory, keys sorted, one entry a line: values can forge neither a line nor the end of the
 * block. The same entries are the same bytes, so that providers' prompt caches hold. Empty for no entries.
 */
export function formatSnapshot(entries: readonly (readonly [key: string, value: string])[]): string {
  if (entries.length === 0) return ''
  const lines = [...entries]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => `${escapeLine(key)}: ${escapeLine(value)}`)
  return `${OPEN}\n${lines.join('\n')}\n${CLOSE}`
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
  ['<', '&lt;'],
])

function escapeLine(text: string): string {
  return text.replace(/[\\\n\r\u2028\u2029<]/g, (character) => ESCAPES.get(character) ?? character)
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === memoryNotFound('').code
}
