import type { Redis } from 'ioredis'
import { mget } from '../redis/reading/catalog-clients.js'
import { contentOf, unreadable } from './document-content.js'
import type { CatalogKey } from './redis-keys.js'
import type { LoadOptions, StoredDocument } from './store.js'

/** What need not be made a document of. */
export type IsKnown = NonNullable<LoadOptions['isKnown']>

/** How many bytes one reply should carry: more would hold the event loop while it is read. */
const REPLY_BYTES = 1024 * 1024
const MAX_KEYS_PER_REPLY = 500

/** Chooses how many values to ask for at a time, from the size of those that came before. */
export class ReplySizer {
  #average = 1024

  get keys(): number {
    return Math.max(1, Math.min(MAX_KEYS_PER_REPLY, Math.floor(REPLY_BYTES / this.#average)))
  }

  saw(documents: readonly { readonly bytes: number }[]): void {
    for (const { bytes } of documents) this.#average = Math.max(64, this.#average * 0.95 + bytes * 0.05)
  }
}

/** Reads values with MGET from one server that holds all the keys; those that do not exist or are known are left out. */
export async function readWithMget(
  client: Redis,
  keys: readonly CatalogKey[],
  sizer: ReplySizer,
  isKnown: IsKnown = knowsNothing,
): Promise<readonly StoredDocument[]> {
  const documents: StoredDocument[] = []
  for (let start = 0; start < keys.length; ) {
    const batch = keys.slice(start, start + sizer.keys)
    start += batch.length
    const values = await mget(
      client,
      batch.map(({ key }) => key),
    )
    sizer.saw(values.map((value) => ({ bytes: value?.byteLength ?? 0 })))
    const absent: CatalogKey[] = []
    for (const [index, keyed] of batch.entries()) {
      const value = values[index]
      if (value === null || value === undefined) absent.push(keyed)
      else if (!isKnown(keyed.name, value)) documents.push(documentOf(keyed, value))
    }
    // The client keeps references to its replies: buffers that survive a minor GC wait for a major one, and 64 MB of
    // external memory trigger one.
    values.length = 0
    documents.push(...(await wrongTypes(client, absent)))
  }
  return documents
}

/** MGET returns nil for a key of another type, too. Asks for the types to distinguish those keys from missing ones. */
async function wrongTypes(client: Redis, keys: readonly CatalogKey[]): Promise<readonly StoredDocument[]> {
  if (keys.length === 0) return []
  const pipeline = client.pipeline()
  for (const { key } of keys) pipeline.type(key)
  const replies = (await pipeline.exec()) ?? []
  return keys.flatMap((keyed, index) => {
    const [error, type] = replies[index] ?? []
    if (error !== null && error !== undefined) throw error
    return type === 'none' || type === 'string' ? [] : [wrongType(keyed, String(type))]
  })
}

/** Reads values with one GET each, for a node of a cluster. `moved` are those that the node no longer holds. */
export async function readWithGet(
  client: Redis,
  keys: readonly CatalogKey[],
  isKnown: IsKnown = knowsNothing,
): Promise<{ readonly documents: readonly StoredDocument[]; readonly moved: readonly CatalogKey[] }> {
  const pipeline = client.pipeline()
  for (const { key } of keys) pipeline.getBuffer(key)
  const replies = (await pipeline.exec()) ?? []
  const documents: StoredDocument[] = []
  const moved: CatalogKey[] = []
  for (const [index, keyed] of keys.entries()) {
    const [error, value] = replies[index] ?? []
    if (error === null || error === undefined) {
      if (Buffer.isBuffer(value) && !isKnown(keyed.name, value)) documents.push(documentOf(keyed, value))
    } else if (isWrongType(error)) documents.push(wrongType(keyed))
    else if (/^(MOVED|ASK|TRYAGAIN)/.test(error.message)) moved.push(keyed)
    else throw error
  }
  // As of MGET.
  for (const reply of replies) reply.fill(null)
  return { documents, moved }
}

export function documentOf({ key, address }: CatalogKey, value: Buffer): StoredDocument {
  const format = address.kind === 'environs' ? 'json-or-text' : 'json'
  const { kind, path } = address
  // What begins with a spread is far slower to look at in Node 20, and each of very many is looked at.
  return { kind, path, location: key, content: contentOf(value, format) }
}

export function wrongType({ key, address }: CatalogKey, type?: string): StoredDocument {
  const problem = `the key holds ${type === undefined ? 'another type' : `a ${type}`}, not a string`
  return { ...address, location: key, content: unreadable(problem) }
}

function knowsNothing(): boolean {
  return false
}

export function isWrongType(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('WRONGTYPE')
}
