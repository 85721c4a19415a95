import type { Cluster, Redis } from 'ioredis'
import type { RedisConnection } from './redis-connection.js'
import { ScriptCall } from './script-call.js'
import type { StateStatus } from './state-store.js'

/** The part of the status that has to be asked for. */
type Found = Pick<StateStatus, 'writable' | 'reason' | 'warning'>

/** How often state that could not be written is tried again. */
const PROBE_EVERY_MS = 1_000
/** The only policy under which nothing is thrown away that did not expire. */
const SAFE_POLICY = 'noeviction'

/** What has to be known to find out whether state may be written. */
export interface RedisHealthOptions {
  readonly connection: RedisConnection
  /** Written to find out whether writing is allowed. */
  readonly key: string
  /** The server's, for people. */
  readonly location: string
}

/**
 * Whether state may be written: as the last probe found it, until a write is refused. A memory that is full, or replicas that
 * are missing, leave reads and the connection in order.
 */
export class RedisHealth {
  readonly #options: RedisHealthOptions
  #status: StateStatus
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: RedisHealthOptions) {
    this.#options = options
    this.#status = this.#readOnly('not opened yet')
  }

  get status(): StateStatus {
    if (this.#options.connection.connected || !this.#status.writable) return this.#status
    return this.#readOnly('Redis is not connected')
  }

  /** Tries a write, and again after a while as long as none is allowed: nobody else may try. Never rejects. */
  async probe(): Promise<void> {
    const { connection, key, location } = this.#options
    const found = await probeRedis(connection, key)
    this.#status = { kind: 'redis', location, ...found }
    if (!found.writable) this.#probeLater()
  }

  /** A write was given up: until a probe says otherwise, state cannot be written. */
  refused(reason: string): void {
    if (!this.#status.writable) return
    this.#status = this.#readOnly(reason)
    this.#probeLater()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #probeLater(): void {
    clearTimeout(this.#timer)
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.probe(), PROBE_EVERY_MS).unref()
  }

  #readOnly(reason: string): StateStatus {
    return { kind: 'redis', location: this.#options.location, writable: false, reason }
  }
}

/** Finds out whether state may be written, and whether it would stay. Never rejects. */
async function probeRedis(connection: RedisConnection, key: string): Promise<Found> {
  try {
    await connection.run('probe', [key], new ScriptCall())
  } catch (error) {
    return { writable: false, reason: error instanceof Error ? error.message : String(error) }
  }
  const policy = await evictionPolicy(connection.client)
  if (policy === undefined || policy === SAFE_POLICY) return { writable: true }
  return {
    writable: true,
    warning: `maxmemory-policy is ${policy}: under memory pressure Redis drops state; set ${SAFE_POLICY}`,
  }
}

/** What the server does when its memory is full; of a cluster, the first policy that is not the safe one. Undefined: it does not say. */
async function evictionPolicy(client: Redis | Cluster): Promise<string | undefined> {
  const nodes = 'nodes' in client ? client.nodes('master') : [client]
  const policies = await Promise.all(nodes.map((node) => policyOf(node)))
  return policies.find((policy) => policy !== undefined && policy !== SAFE_POLICY) ?? policies[0]
}

/** INFO has it, too, without the right to read the configuration. Without either right it is unknown. */
async function policyOf(node: Redis): Promise<string | undefined> {
  const reply = await node.info('memory').catch(() => '')
  return /^maxmemory_policy:(\S+)/m.exec(reply)?.[1]
}
