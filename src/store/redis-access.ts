import type { Cluster, Redis } from 'ioredis'
import { withTimeout } from '../util/time/time-limits.js'
import {
  createClusterClient,
  createCommandClient,
  createPushClient,
  type RedisTimings,
  reconnectDelay,
} from './redis-client.js'
import type { CatalogKey } from './redis-keys.js'
import type { RedisTarget } from './redis-url.js'
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
  const client = createCommandClient(target, timings)
  const sizer = new ReplySizer()
  tellOf(client, events)
  const keepAlive = connectAfterEnd(client, timings)
  const read = (keys: readonly CatalogKey[], isKnown?: IsKnown) => readWithMget(client, keys, sizer, isKnown)
  const node = { name: 'master', client, read, connectPush: () => createPushClient(target, timings) }
  return {
    get connected() {
      return client.status === 'ready'
    },
    nodes: () => [node],
    read,
    readStream: (key, limit) => readStream(client, key, limit),
    ping: () => pingOrReconnect(client, timings),
    open: () => client.connect().catch(() => {}),
    close() {
      keepAlive.stop()
      client.disconnect()
    },
  }
}

function tellOf(client: Redis | Cluster, { onReady, onLost }: RedisAccessEvents): void {
  let lastError = 'not connected yet'
  client.on('error', (error: Error) => {
    lastError = error.message
  })
  client.on('ready', onReady)
  client.on('close', () => onLost(lastError))
}

/** A failover that comes while a client connects ends it for good, whatever its retry strategies say: it begins again. */
export function connectAfterEnd(client: Redis, timings: RedisTimings): { stop(): void } {
  let attempt = 0
  let timer: NodeJS.Timeout | undefined
  const connect = () => void client.connect().catch(() => {})
  const onEnd = () => {
    attempt += 1
    timer = setTimeout(connect, reconnectDelay(attempt, timings))
  }
  client.on('end', onEnd)
  client.on('ready', () => {
    attempt = 0
  })
  return {
    stop() {
      client.off('end', onEnd)
      clearTimeout(timer)
    },
  }
}

/** The masters of a cluster. */
export function createClusterAccess(
  target: RedisTarget,
  timings: RedisTimings,
  events: RedisAccessEvents,
): RedisAccess {
  const cluster = createClusterClient(target, timings)
  tellOf(cluster, events)
  cluster.on('+node', events.onNodes)
  cluster.on('-node', events.onNodes)

  async function readOne(keyed: CatalogKey): Promise<StoredDocument | undefined> {
    try {
      const value = await cluster.getBuffer(keyed.key)
      return value === null ? undefined : documentOf(keyed, value)
    } catch (error) {
      if (isWrongType(error)) return wrongType(keyed)
      throw error
    }
  }

  async function read(keys: readonly CatalogKey[]): Promise<readonly StoredDocument[]> {
    const documents = await Promise.all(keys.map(readOne))
    return documents.filter((document) => document !== undefined)
  }

  function nodeOf(client: Redis): RedisNode {
    return {
      name: `${client.options.host}:${client.options.port}`,
      client,
      async read(keys, isKnown) {
        const { documents, moved } = await readWithGet(client, keys, isKnown)
        // A slot that moves between the scan and the read is found where it went.
        return moved.length === 0 ? documents : [...documents, ...(await read(moved))]
      },
      connectPush: () => createPushClient(target, timings, client),
    }
  }

  return {
    get connected() {
      return cluster.status === 'ready'
    },
    nodes: () => cluster.nodes('master').map(nodeOf),
    read,
    readStream: (key, limit) => readStream(cluster, key, limit),
    async ping() {
      await Promise.all(cluster.nodes('master').map((client) => pingOrReconnect(client, timings)))
    },
    open: () => cluster.connect().catch(() => {}),
    close: () => cluster.disconnect(),
  }
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
