import type { Socket } from 'node:net'
import type { buildConnector, Client, Dispatcher } from 'undici'
import { lazyPackage } from '../util/packages/lazy-package.js'
import { createDirectReads } from './direct-reads.js'
import { joinWrites } from './joined-writes.js'

const undici = lazyPackage<typeof import('undici')>('undici')

export interface ConnectionPoolOptions {
  readonly connections: number
  /** How long an idle connection is kept. */
  readonly keepAliveMs: number
  readonly connectTimeoutMs: number
}

/** A handler that gives its connection back. A layer that did it would be called for every part of every answer. */
export interface LeasingHandler extends Dispatcher.DispatchHandler {
  /** Set by the pool, for the handler to call once: whether the answer ended, so that the connection is as it was. */
  leave?: (ended: boolean) => void
}

interface Connection {
  readonly client: Client
  readonly leave: (ended: boolean) => void
}

interface Waiting {
  readonly request: Dispatcher.DispatchOptions
  readonly handler: LeasingHandler
}

/**
 * Connections to one origin, one exchange on each at a time, the one used last first. A connection whose exchange was
 * given up or failed is thrown away: undici's own pool opens a new one in its place, which nobody asked for, and keeps
 * it open although nothing is ever sent on it.
 */
export class ConnectionPool {
  readonly #origin: URL
  readonly #options: ConnectionPoolOptions
  readonly #all = new Set<Connection>()
  readonly #idle: Connection[] = []
  readonly #waiting: Waiting[] = []
  #connect: buildConnector.connector | undefined
  #isDestroyed = false

  constructor(origin: string, options: ConnectionPoolOptions) {
    this.#origin = urlOf(origin)
    this.#options = options
  }

  /** Sends the request as soon as there is a connection for it. */
  dispatch(request: Dispatcher.DispatchOptions, handler: LeasingHandler): void {
    const connection = this.#take()
    if (connection === undefined) this.#waiting.push({ request, handler })
    else send(connection, request, handler)
  }

  /** Ends every connection at once, and every exchange with it; later ones fail. */
  async destroy(): Promise<void> {
    this.#isDestroyed = true
    const connections = [...this.#all]
    this.#all.clear()
    this.#idle.length = 0
    for (const { request, handler } of this.#waiting.splice(0)) this.dispatch(request, handler)
    await Promise.all(connections.map(({ client }) => client.destroy()))
  }

  #take(): Connection | undefined {
    const idle = this.#idle.pop()
    if (idle !== undefined || this.#all.size >= this.#options.connections) return idle
    const client = new (undici().Client)(this.#origin, {
      pipelining: 1,
      keepAliveTimeout: this.#options.keepAliveMs,
      connect: this.#connector(),
    })
    const connection: Connection = {
      client,
      leave: (ended) => (ended ? this.#giveBack(connection) : this.#discard(connection)),
    }
    // A destroyed client fails what it is sent, in undici's own words.
    if (this.#isDestroyed) void client.destroy()
    else this.#all.add(connection)
    return connection
  }

  /** One for all connections of TLS, which share its sessions. */
  #connector(): buildConnector.connector {
    if (this.#origin.protocol !== 'https:') return this.#plainConnector()
    this.#connect ??= undici().buildConnector({ timeout: this.#options.connectTimeoutMs })
    return withSocket(this.#connect, joinWrites)
  }

  #plainConnector(): buildConnector.connector {
    const { onread, prepare } = createDirectReads()
    const connect = undici().buildConnector({ timeout: this.#options.connectTimeoutMs, onread })
    return withSocket(connect, (socket) => {
      joinWrites(socket)
      prepare(socket)
    })
  }

  #giveBack(connection: Connection): void {
    if (!this.#all.has(connection)) return
    const next = this.#waiting.shift()
    if (next === undefined) this.#idle.push(connection)
    else send(connection, next.request, next.handler)
  }

  #discard(connection: Connection): void {
    if (!this.#all.delete(connection)) return
    connection.client.destroy().catch(() => {})
    if (this.#waiting.length === 0) return
    const other = this.#take()
    const next = other && this.#waiting.shift()
    if (other !== undefined && next !== undefined) send(other, next.request, next.handler)
  }
}

/** An origin's URL whose origin and protocol are stored: undici reads both for each request. Rows `0.5 KB` of `npm run bench:chat`. */
function urlOf(origin: string): URL {
  const url = new URL(origin)
  return Object.defineProperties(url, {
    origin: { value: url.origin },
    protocol: { value: url.protocol },
  })
}

function send(
  { client, leave }: Connection,
  request: Dispatcher.DispatchOptions,
  handler: LeasingHandler,
): void {
  handler.leave = leave
  client.dispatch(request, handler)
}

function withSocket(
  connect: buildConnector.connector,
  prepare: (socket: Socket) => void,
): buildConnector.connector {
  return (target, callback) => {
    connect(target, (...result: buildConnector.CallbackArgs) => {
      const [error, socket] = result
      if (error !== null) return callback(error, null)
      prepare(socket)
      callback(null, socket)
    })
  }
}
