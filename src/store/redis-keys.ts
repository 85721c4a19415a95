import { decodeUtf8 } from '../util/text/safe-utf8.js'
import { documentKey } from './document-key.js'
import { type DocumentAddress, KINDS, type Kind } from './store.js'

/** A key of the catalog. The document that it names is worked out when somebody asks: most are known by their key. */
export interface CatalogKey {
  /** In Redis. */
  readonly key: string
  /** Without the prefix, as of `documentKey`. */
  readonly name: string
  readonly address: DocumentAddress
}

/** How documents are named in Redis under one prefix. */
export interface RedisKeys {
  /** The beginnings of all keys of the catalog, one per directory, such as `shenma:tools:`. */
  readonly prefixes: readonly string[]
  /** A SCAN pattern that matches all of them. */
  readonly pattern: string
  keyOf(address: DocumentAddress): CatalogKey
  /** undefined for keys outside the catalog */
  find(key: string): CatalogKey | undefined
  /** The part of a key in the place of its directory: `template` of `shenma:template:a:b`. */
  directoryIn(key: string): string | undefined
}

/** Names documents by a prefix such as `shenma`. */
export function createRedisKeys(prefix: string): RedisKeys {
  const start = prefix.length + 1
  const directories = KINDS.map((kind) => ({ kind, beginning: `${prefix}:${kind}:` }))
  return {
    prefixes: directories.map(({ beginning }) => beginning),
    pattern: `${escapeGlob(prefix)}:*`,
    keyOf(address) {
      const name = documentKey(address)
      return { key: `${prefix}:${name}`, name, address }
    },
    directoryIn(key) {
      return key.startsWith(`${prefix}:`) ? /^[^:]+(?=:)/.exec(key.slice(start))?.[0] : undefined
    },
    find(key) {
      const directory = directories.find(({ beginning }) => key.startsWith(beginning))
      return directory && new FoundKey(key, key.slice(start), directory.kind)
    },
  }
}

class FoundKey implements CatalogKey {
  readonly key: string
  readonly name: string
  readonly #kind: Kind

  constructor(key: string, name: string, kind: Kind) {
    this.key = key
    this.name = name
    this.#kind = kind
  }

  get address(): DocumentAddress {
    return { kind: this.#kind, path: this.name.slice(this.#kind.length + 1).split(':') }
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
