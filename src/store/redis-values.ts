import type { Redis } from 'ioredis'
import { contentOf, unreadable } from './document-content.js'
import type { DocumentAddress, StoredDocument } from './store.js'

/** One key of the catalog and the document that it names. */
export interface KeyedAddress {
  readonly key: string
  readonly address: DocumentAddress
}

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

/** Reads values with MGET from one server that holds all the keys; keys that do not exist are left out. */
export async function readWithMget(
  client: Redis,
  keys: readonly KeyedAddress[],
  sizer: ReplySizer,
): Promise<readonly StoredDocument[]> {
  const documents: StoredDocument[] = []
  for (let start = 0; start < keys.length; ) {
    const batch = keys.slice(start, start + sizer.keys)
    start += batch.length
    const values = await client.mgetBuffer(batch.map(({ key }) => key))
    sizer.saw(values.map((value) => ({ bytes: value?.byteLength ?? 0 })))
    const absent: KeyedAddress[] = []
    for (const [index, keyed] of batch.entries()) {
      const value = values[index]
      if (value === null || value === undefined) absent.push(keyed)
      else documents.push(documentOf(keyed, value))
    }
    documents.push(...(await wrongTypes(client, absent)))
  }
  return documents
}

/** MGET answers nil for a key of another type too: those exist and are told apart by their type. */
async function wrongTypes(client: Redis, keys: readonly KeyedAddress[]): Promise<readonly StoredDocument[]> {
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
  keys: readonly KeyedAddress[],
): Promise<{ readonly documents: readonly StoredDocument[]; readonly moved: readonly KeyedAddress[] }> {
  const pipeline = client.pipeline()
  for (const { key } of keys) pipeline.getBuffer(key)
  const replies = (await pipeline.exec()) ?? []
  const documents: StoredDocument[] = []
  const moved: KeyedAddress[] = []
  for (const [index, keyed] of keys.entries()) {
    const [error, value] = replies[index] ?? []
    if (error === null || error === undefined) {
      if (Buffer.isBuffer(value)) documents.push(documentOf(keyed, value))
    } else if (isWrongType(error)) documents.push(wrongType(keyed))
    else if (/^(MOVED|ASK|TRYAGAIN)/.test(error.message)) moved.push(keyed)
    else throw error
  }
  return { documents, moved }
}

export function documentOf({ key, address }: KeyedAddress, value: Buffer): StoredDocument {
  const format = address.kind === 'environs' ? 'json-or-text' : 'json'
  return { ...address, location: key, content: contentOf(value, format) }
}

export function wrongType({ key, address }: KeyedAddress, type?: string): StoredDocument {
  const problem = `the key holds ${type === undefined ? 'another type' : `a ${type}`}, not a string`
  return { ...address, location: key, content: unreadable(problem) }
}

export function isWrongType(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('WRONGTYPE')
}
