import { documentKey } from '../../src/store/document-key.js'
import type { DocumentAddress, Store, StoredDocument, StoreListener } from '../../src/store/store.js'
import { documentOf } from './documents.js'

/** A catalog in memory, whose changes are published when the test says so: late, in another order, or never. */
export interface MemoryStore extends Store {
  set(key: string, value: unknown): void
  delete(key: string): void
  /** Tells that these keys may have changed. */
  tell(...keys: readonly string[]): void
  /** Tells that everything may have changed. */
  tellAll(): void
}

/** @param catalog documents by key without prefix, such as `templates:demo:hello` */
export function createMemoryStore(catalog: Readonly<Record<string, unknown>> = {}): MemoryStore {
  const documents = new Map<string, StoredDocument>()
  let listener: StoreListener | undefined
  const set = (key: string, value: unknown) => void documents.set(key, documentOf(key, value))
  for (const [key, value] of Object.entries(catalog)) set(key, value)
  const addressOf = (key: string): DocumentAddress => documentOf(key, '')
  return {
    kind: 'directory',
    location: 'memory',
    set,
    delete: (key) => void documents.delete(key),
    tell: (...keys) => listener?.onChange({ kind: 'documents', addresses: keys.map(addressOf) }),
    tellAll: () => listener?.onChange({ kind: 'everything', reason: 'the test says so' }),
    async *load() {
      yield [...documents.values()]
    },
    get: async (addresses) => addresses.flatMap((address) => documents.get(documentKey(address)) ?? []),
    watch: async (given) => {
      listener = given
    },
    health: () => ({ connected: true, mode: 'watch' }),
    unread: async () => [],
    close: async () => {},
  }
}
