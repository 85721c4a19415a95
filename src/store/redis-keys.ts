import { decodeUtf8 } from '../util/safe-utf8.js'
import { type DocumentAddress, KINDS } from './store.js'

/** How documents are named in Redis under one prefix. */
export interface RedisKeys {
  /** The beginnings of all keys of the catalog, one per directory, such as `shenma:tools:`. */
  readonly prefixes: readonly string[]
  /** A SCAN pattern that matches all of them. */
  readonly pattern: string
  keyOf(address: DocumentAddress): string
  /** undefined for keys that are none of the catalog's. */
  addressOf(key: string): DocumentAddress | undefined
}

/** Names documents by a prefix such as `shenma`. */
export function createRedisKeys(prefix: string): RedisKeys {
  return {
    prefixes: KINDS.map((kind) => `${prefix}:${kind}:`),
    pattern: `${escapeGlob(prefix)}:*`,
    keyOf: ({ kind, path }) => `${prefix}:${kind}:${path.join(':')}`,
    addressOf(key) {
      if (!key.startsWith(`${prefix}:`)) return undefined
      const [first, ...path] = key.slice(prefix.length + 1).split(':')
      const kind = KINDS.find((name) => name === first)
      return kind === undefined || path.length === 0 ? undefined : { kind, path }
    },
  }
}

/** Text that a glob matches literally. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]^]/g, '\\$&')
}

/** A key's name; undefined when its bytes are not UTF-8, so that it cannot be a document's. */
export function keyText(key: Buffer): string | undefined {
  return decodeUtf8(key)
}
