import { explainRefusal } from '../redis/redis-refusal.js'
import { REDIS_TIMINGS, type RedisTimings } from '../redis/redis-timings.js'
import { parseRedisUrl } from '../redis/redis-url.js'
import { createClusterAccess, createSingleAccess, type RedisAccess, type RedisNode } from './redis-access.js'
import { type CatalogKey, createRedisKeys, keyText, type RedisKeys } from './redis-keys.js'
import { PushConnection, type PushMode } from './redis-push.js'
import {
  type DocumentAddress,
  LABEL_KINDS,
  type LoadOptions,
  type Store,
  type StoredDocument,
  type StoreHealth,
  type StoreListener,
  type UnreadPlace,
} from './store.js'
import { type SeenKeys, unreadKeys } from './unread-keys.js'

export interface RedisStoreOptions {
  /** See `parseRedisUrl` for its forms. */
  readonly url: string
  /** First part of every key. Default `shenma`. */
  readonly keyPrefix?: string
  readonly timings?: Partial<RedisTimings>
  /** Whether the catalog is of no use without the documents of labels. Default: a user without rights on them does. */
  readonly needsReleases?: boolean
}

/** Few keys of a large database may be ours: then each SCAN looks at more. */
const MIN_SCAN_COUNT = 1_000
const MAX_SCAN_COUNT = 8_000
/** Limit of remembered directories outside the catalog. */
const MAX_DIRECTORIES = 100

/** Nothing was heard from Redis yet, or it was lost. */
class RedisUnavailableError extends Error {
  override readonly name = 'RedisUnavailableError'
}

/**
 * Opens a catalog in Redis: one server, a master behind sentinels, or a cluster. It only ever reads.
 *
 * @throws RedisUrlError
 */
export function createRedisStore(options: RedisStoreOptions): Store {
  return new RedisStore(options)
}

class RedisStore implements Store {
  readonly kind = 'redis'
  readonly location: string
  readonly #keys: RedisKeys
  readonly #prefix: string
  /** Of the last load: whether there was a document, and the other names found in the place of its directory. */
  #seen: SeenKeys = { isEmpty: false, directories: new Set() }
  readonly #timings: RedisTimings
  readonly #database: number
  readonly #access: RedisAccess
  readonly #pushes = new Map<string, PushConnection>()
  readonly #sizes = new Map<string, number>()
  #listener: StoreListener | undefined
  #watching = false
  #closed = false
  readonly #needsReleases: boolean
  /** Why the documents of labels are not read. */
  #withoutReleases: string | undefined
  #detail: string | undefined
  #refusal: string | undefined
  #polling: NodeJS.Timeout | undefined
  #heartbeat: NodeJS.Timeout | undefined

  constructor({ url, keyPrefix = 'shenma', timings, needsReleases = false }: RedisStoreOptions) {
    this.#needsReleases = needsReleases
    const target = parseRedisUrl(url)
    this.location = target.location
    this.#database = target.database
    this.#prefix = keyPrefix
    this.#keys = createRedisKeys(keyPrefix)
    this.#timings = { ...REDIS_TIMINGS, ...timings }
    const create = target.topology === 'cluster' ? createClusterAccess : createSingleAccess
    this.#access = create(target, this.#timings, {
      onReady: () => this.#reachable(),
      onLost: (reason) => this.#lost(reason),
      onNodes: () => this.#followNodes(),
    })
  }

  async *load(options: LoadOptions): AsyncIterable<readonly StoredDocument[]> {
    if (!this.#access.connected) throw new RedisUnavailableError(this.#detail ?? 'Redis is not connected')
    const nodes = this.#access.nodes()
    if (nodes.length === 0) throw new RedisUnavailableError('no master of the cluster is known')
    const seen = { isEmpty: true, directories: new Set<string>() }
    try {
      for (const node of nodes) yield* this.#loadNode(node, options, seen)
      this.#seen = seen
      this.#refusal = undefined
    } catch (error) {
      throw this.#explained(error)
    }
  }

  /** A refusal stays in the health until a load succeeds: the connection itself is good. */
  #explained(error: unknown): unknown {
    this.#refusal = error instanceof Error ? explainRefusal(error.message) : undefined
    return this.#refusal === undefined ? error : new RedisUnavailableError(this.#refusal, { cause: error })
  }

  async get(addresses: readonly DocumentAddress[]): Promise<readonly StoredDocument[]> {
    const keys = addresses.map((address) => this.#keys.keyOf(address))
    return this.#readAllowed(keys, (some) => this.#access.read(some))
  }

  async history(name: string, limit: number): Promise<readonly string[] | undefined> {
    try {
      return await this.#access.readStream(`${this.#prefix}:${name}`, limit)
    } catch (error) {
      if (isRefusal(error)) return undefined
      throw error
    }
  }

  async watch(listener: StoreListener): Promise<void> {
    this.#listener = listener
    await this.#access.open()
    this.#followNodes()
    await Promise.all(this.#opening)
    this.#watching = true
    this.#beat()
    this.#poll()
  }

  health(): StoreHealth {
    const connected = this.#access.connected
    const detail = this.#detail ?? this.#refusal ?? this.#withoutReleases
    return { connected, mode: this.#mode(), ...(detail !== undefined && { detail }) }
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#heartbeat)
    clearInterval(this.#polling)
    for (const push of this.#pushes.values()) push.close()
    this.#access.close()
  }

  async *#loadNode(
    node: RedisNode,
    { signal, isKnown }: LoadOptions,
    seen: { isEmpty: boolean; readonly directories: Set<string> },
  ): AsyncGenerator<readonly StoredDocument[]> {
    if (this.#mode() === 'keyspace') this.#sizes.set(node.name, await node.client.dbsize())
    let count = MIN_SCAN_COUNT
    let cursor = '0'
    do {
      signal?.throwIfAborted()
      const [next, found] = await node.client.scanBuffer(cursor, 'MATCH', this.#keys.pattern, 'COUNT', count)
      cursor = next.toString()
      const keys = this.#ours(found, seen.directories)
      if (keys.length > 0) seen.isEmpty = false
      // As the values: the client holds on to its replies.
      found.length = 0
      for (let start = 0; start < keys.length; start += MIN_SCAN_COUNT)
        yield await this.#readAllowed(keys.slice(start, start + MIN_SCAN_COUNT), (some) =>
          node.read(some, isKnown),
        )
      count = keys.length < count / 4 ? Math.min(MAX_SCAN_COUNT, count * 2) : MIN_SCAN_COUNT
    } while (cursor !== '0')
  }

  /** Users of before there were labels may read all else: they are served heads. */
  async #readAllowed(
    keys: readonly CatalogKey[],
    read: (keys: readonly CatalogKey[]) => Promise<readonly StoredDocument[]>,
  ): Promise<readonly StoredDocument[]> {
    const ofLabels = keys.filter(({ name }) => isLabelName(name))
    if (ofLabels.length === 0) return read(keys)
    const others = keys.filter(({ name }) => !isLabelName(name))
    const documents = others.length === 0 ? [] : await read(others)
    try {
      const labels = await read(ofLabels)
      this.#withoutReleases = undefined
      return [...documents, ...labels]
    } catch (error) {
      if (this.#needsReleases || !isRefusal(error)) throw error
      this.#withoutReleases = `labels are not served: ${explainRefusal(error.message)}`
      return documents
    }
  }

  /** @param others collects the directory part of keys outside the catalog */
  #ours(found: readonly Buffer[], others: Set<string>): CatalogKey[] {
    return found.flatMap((bytes) => {
      const key = keyText(bytes)
      if (key === undefined) return []
      const known = this.#keys.find(key)
      if (known !== undefined) return known
      const directory = others.size < MAX_DIRECTORIES ? this.#keys.directoryIn(key) : undefined
      if (directory !== undefined) others.add(directory)
      return []
    })
  }

  /** The least that any node offers: changes are known only as well as on the worst of them. */
  #mode(): PushMode {
    const modes = [...this.#pushes.values()].map(({ mode }) => mode ?? 'polling')
    if (modes.length === 0 || modes.includes('polling')) return 'polling'
    return modes.includes('keyspace') ? 'keyspace' : 'tracking'
  }

  async unread(): Promise<readonly UnreadPlace[]> {
    return unreadKeys({ prefix: this.#prefix, location: this.location, ...this.#seen })
  }

  #opening: Promise<void>[] = []

  /** Has one push connection to every node that holds keys, and to no other. */
  #followNodes(): void {
    if (this.#closed) return
    const nodes = new Map(this.#access.nodes().map((node) => [node.name, node]))
    for (const [name, push] of this.#pushes) {
      if (nodes.has(name) || nodes.size === 0) continue
      push.close()
      this.#pushes.delete(name)
    }
    for (const node of nodes.values()) {
      if (this.#pushes.has(node.name)) continue
      const push = this.#createPush(node)
      this.#pushes.set(node.name, push)
      this.#opening.push(push.open())
    }
  }

  #createPush(node: RedisNode): PushConnection {
    return new PushConnection({
      prefixes: this.#keys.prefixes,
      database: this.#database,
      timings: this.#timings,
      connect: () => node.connectPush(),
      onKeys: (keys) => this.#changed(keys),
      onUp: () => {
        this.#tellHealth()
        this.#everything('changes are reported again')
      },
      onDown: () => this.#tellHealth(),
    })
  }

  #changed(keys: readonly string[] | null): void {
    if (keys === null) {
      this.#listener?.onChange({ kind: 'everything', reason: 'the database was flushed' })
      return
    }
    const addresses = keys.flatMap((key) => this.#keys.find(key)?.address ?? [])
    if (addresses.length > 0) this.#listener?.onChange({ kind: 'documents', addresses })
  }

  #reachable(): void {
    this.#detail = undefined
    this.#tellHealth()
    this.#everything('connected again')
  }

  #lost(reason: string): void {
    if (this.#closed) return
    this.#detail = explainRefusal(reason) ?? reason
    this.#tellHealth()
  }

  /** Not reported during the first attempt to connect: watchers load everything after it anyway. */
  #everything(reason: string): void {
    if (this.#watching && !this.#closed && this.#access.connected)
      this.#listener?.onChange({ kind: 'everything', reason })
  }

  #tellHealth(): void {
    if (!this.#closed) this.#listener?.onHealth(this.health())
  }

  #beat(): void {
    this.#heartbeat = setTimeout(() => {
      this.#followNodes()
      this.#opening = []
      void this.#access.ping().finally(() => !this.#closed && this.#beat())
    }, this.#timings.heartbeatMs)
  }

  /** Without push, everything is looked at often; with it, the mirror's own rare look is enough. */
  #poll(): void {
    this.#polling = setInterval(() => {
      const mode = this.#mode()
      if (mode === 'polling') this.#everything('polling')
      if (mode === 'keyspace') void this.#checkSizes().catch(() => {})
    }, this.#timings.pollMs)
  }

  /** Keyspace notifications do not report FLUSHDB: fewer keys than before are a reason to look. */
  async #checkSizes(): Promise<void> {
    for (const { name, client } of this.#access.nodes()) {
      const size = await client.dbsize()
      if (size < (this.#sizes.get(name) ?? 0)) this.#everything('the database became smaller')
      this.#sizes.set(name, size)
    }
  }
}

function isLabelName(name: string): boolean {
  return LABEL_KINDS.some((kind) => name.startsWith(`${kind}:`))
}

function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.message.startsWith('NOPERM')
}
