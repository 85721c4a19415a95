import { randomUUID } from 'node:crypto'
import { listField, textField, textsOf } from '../../util/json/json-fields.js'
import type { MemoryItem, MemoryStore } from './memory-store.js'

/** A page of knowledge: a title, a text, and tags. */
export interface KnowledgePage {
  readonly id: string
  readonly title: string
  readonly content: string
  readonly tags: readonly string[]
  /** Epoch milliseconds. */
  readonly createdAt: number
}

const PREFIX = '_page_:'

/** Pages of knowledge in a memory store, beside whatever else it holds. */
export class KnowledgeStore {
  readonly #store: MemoryStore
  readonly #now: () => number

  constructor(store: MemoryStore, now: () => number = Date.now) {
    this.#store = store
    this.#now = now
  }

  /** Stores a page and answers it with its id; the same id replaces an earlier page. */
  async savePage(
    title: string,
    content: string,
    tags: readonly string[] = [],
    id: string = randomUUID(),
  ): Promise<KnowledgePage> {
    const createdAt = this.#now()
    await this.#store.save({ id: PREFIX + id, content, metadata: { title, tags }, createdAt })
    return { id, title, content, tags, createdAt }
  }

  async getPage(id: string): Promise<KnowledgePage | undefined> {
    const item = await this.#store.get(PREFIX + id)
    return item && toPage(item)
  }

  /** @throws ServiceError `memory_not_found` */
  async deletePage(id: string): Promise<void> {
    await this.#store.delete(PREFIX + id)
  }

  /** Every page, in ascending order of ids. */
  async listPages(): Promise<readonly KnowledgePage[]> {
    return (await this.#store.list({ prefix: PREFIX })).map(toPage)
  }

  /** Pages with the text in their title, content or tags, without regard to case. */
  async search(text: string): Promise<readonly KnowledgePage[]> {
    const wanted = text.toLowerCase()
    const pages = await this.listPages()
    return pages.filter((page) => searchedText(page).toLowerCase().includes(wanted))
  }
}

/** All words of a page, for searching and scoring. */
export function searchedText({ title, content, tags }: KnowledgePage): string {
  return [title, content, ...tags].join('\n')
}

function toPage({ id, content, metadata, createdAt }: MemoryItem): KnowledgePage {
  const title = textField(metadata, 'title') ?? ''
  return {
    id: id.slice(PREFIX.length),
    title,
    content,
    tags: textsOf(listField(metadata, 'tags')),
    createdAt,
  }
}
