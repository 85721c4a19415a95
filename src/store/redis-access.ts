import type { Cluster, Redis } from 'ioredis'
import { connectAfterEnd } from '../redis/connect-after-end.js'
import {
  createClusterClient,
  createCommandClient,
  createPushClient,
} from '../redis/reading/catalog-clients.js'
import type { RedisTimings } from '../redis/redis-timings.js'
import type { RedisTarget } from '../redis/redis-url.js'
import { withTimeout } from '../util/time/time-limits.js'
import type { CatalogKey } from './redis-keys.js'
import {
  documentOf,
  type IsKnown,
  isWrongType,
  ReplySizer,
  readWithGet,
  readWithMget,
  wrongType,
} from './redis-values.js'
import type { StoredDocument } from './store.js'

/** A server that holds keys: for scans and change notifications. */
export interface RedisNode {
  /** Stable while the server is the same one. */
  readonly name: string
  readonly client: Redis
  /** Reads keys that were found on this node, but for those that are known. */
  read(keys: readonly CatalogKey[], isKnown?: IsKnown): Promise<readonly StoredDocument[]>
  connectPush(): Redis
}

/** One way to reach the documents, whatever the topology. */
export interface RedisAccess {
  /** True while commands can be sent. */
  readonly connected: boolean
  /** Every server that holds keys, now. */
  nodes(): readonly RedisNode[]
  read(keys: readonly CatalogKey[]): Promise<readonly StoredDocument[]>
  /** The first value of each entry of a stream, the newest first. */
  readStream(key: string, limit: number): Promise<readonly string[]>
  /** Asks every node for a sign of life; a node that gives none is connected again. */
  ping(): Promise<void>
  /** Connects; resolves after the first attempt, successful or not. */
  open(): Promise<void>
  close(): void
}

export interface RedisAccessEvents {
  readonly onReady: () => void
  readonly onLost: (reason: string) => void
  /** Nodes came or went. */
  readonly onNodes: () => void
}

/** One master, at a fixed address or where the sentinels say. */
export function createSingleAccess(
  target: RedisTarget,
  timings: RedisTimings,
  events: RedisAccessEvents,
): RedisAccess {
  return new SingleAccess(target, timings, events)
}

/** The masters of a cluster. */
export function createClusterAccess(
  target: RedisTarget,
  timings: RedisTimings,
  events: RedisAccessEvents,
): RedisAccess {
  return new ClusterAccess(target, timings, events)
}

class SingleAccess implements RedisAccess {
  readonly #client: Redis
  readonly #timings: RedisTimings
  readonly #node: RedisNode
  readonly #keepAlive: { stop(): void }

  constructor(target: RedisTarget, timings: RedisTimings, events: RedisAccessEvents) {
    const client = createCommandClient(target, timings)
    const sizer = new ReplySizer()
    reportState(client, events)
    this.#client = client
    this.#timings = timings
    this.#keepAlive = connectAfterEnd(client, timings)
    this.#node = {
      name: 'master',
      client,
      read: (keys, isKnown) => readWithMget(client, keys, sizer, isKnown),
      connectPush: () => createPushClient(target, timings),
    }
  }

  get connected(): boolean {
    return this.#client.status === 'ready'
  }

  nodes(): readonly RedisNode[] {
    return [this.#node]
  }

  read(keys: readonly CatalogKey[]): Promise<readonly StoredDocument[]> {
    return this.#node.read(keys)
  }

  readStream(key: string, limit: number): Promise<readonly string[]> {
    return readStream(this.#client, key, limit)
  }

  ping(): Promise<void> {
    return pingOrReconnect(this.#client, this.#timings)
  }

  async open(): Promise<void> {
    await this.#client.connect().catch(() => {})
  }

  close(): void {
    this.#keepAlive.stop()
    this.#client.disconnect()
  }
}

class ClusterAccess implements RedisAccess {
  readonly #cluster: Cluster
  readonly #target: RedisTarget
  readonly #timings: RedisTimings

  constructor(target: RedisTarget, timings: RedisTimings, events: RedisAccessEvents) {
    this.#cluster = createClusterClient(target, timings)
    this.#target = target
    this.#timings = timings
    reportState(this.#cluster, events)
    this.#cluster.on('+node', events.onNodes)
    this.#cluster.on('-node', events.onNodes)
  }

  get connected(): boolean {
    return this.#cluster.status === 'ready'
  }

  nodes(): readonly RedisNode[] {
    return this.#masters().map((client) => this.#nodeOf(client))
  }

  async read(keys: readonly CatalogKey[]): Promise<readonly StoredDocument[]> {
    const documents = await Promise.all(keys.map((keyed) => this.#readOne(keyed)))
    return documents.filter((document) => document !== undefined)
  }

  readStream(key: string, limit: number): Promise<readonly string[]> {
    return readStream(this.#cluster, key, limit)
  }

  async ping(): Promise<void> {
    await Promise.all(this.#masters().map((client) => pingOrReconnect(client, this.#timings)))
  }

  async open(): Promise<void> {
    await this.#cluster.connect().catch(() => {})
  }

  close(): void {
    this.#cluster.disconnect()
  }

  #masters(): readonly Redis[] {
    return this.#cluster.nodes('master')
  }

  #nodeOf(client: Redis): RedisNode {
    return {
      name: `${client.options.host}:${client.options.port}`,
      client,
      read: (keys, isKnown) => this.#readFrom(client, keys, isKnown),
      connectPush: () => createPushClient(this.#target, this.#timings, client),
    }
  }

  /** Reads from one node. A slot that moves between the scan and the read is found where it went. */
  async #readFrom(
    client: Redis,
    keys: readonly CatalogKey[],
    isKnown: IsKnown | undefined,
  ): Promise<readonly StoredDocument[]> {
    const { documents, moved } = await readWithGet(client, keys, isKnown)
    return moved.length === 0 ? documents : [...documents, ...(await this.read(moved))]
  }

  async #readOne(keyed: CatalogKey): Promise<StoredDocument | undefined> {
    try {
      const value = await this.#cluster.getBuffer(keyed.key)
      return value === null ? undefined : documentOf(keyed, value)
    } catch (error) {
      if (isWrongType(error)) return wrongType(keyed)
      throw error
    }
  }
}

function reportState(client: Redis | Cluster, { onReady, onLost }: RedisAccessEvents): void {
  let lastError = 'not connected yet'
  client.on('error', (error: Error) => {
    lastError = error.message
  })
  client.on('ready', onReady)
  client.on('close', () => onLost(lastError))
}

async function readStream(client: Redis | Cluster, key: string, limit: number): Promise<readonly string[]> {
  const entries = await client.xrevrange(key, '+', '-', 'COUNT', limit)
  return entries.flatMap(([, fields]) => fields[1] ?? [])
}

async function pingOrReconnect(client: Redis, timings: RedisTimings): Promise<void> {
  if (client.status !== 'ready') return
  const limit = Math.min(timings.timeoutMs, Math.max(timings.heartbeatMs, 500))
  await withTimeout(client.ping(), limit).catch(() => client.disconnect(true))
}
