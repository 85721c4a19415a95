import type { IncomingHttpHeaders } from 'node:http'
import type { buildConnector, Client, Dispatcher } from 'undici'
import { lazyPackage } from '../util/packages/lazy-package.js'
import { ForwardingHandler } from './forwarding-handler.js'
import { joinWrites } from './joined-writes.js'

const undici = lazyPackage<typeof import('undici')>('undici')

export interface ConnectionPoolOptions {
  readonly connections: number
  /** How long an idle connection is kept. */
  readonly keepAliveMs: number
  readonly connectTimeoutMs: number
}

interface Waiting {
  readonly request: Dispatcher.DispatchOptions
  readonly handler: Dispatcher.DispatchHandler
}

/**
 * Connections to one origin, one exchange on each at a time, the one used last first. A connection whose exchange was
 * given up or failed is thrown away: undici's own pool opens a new one in its place, which nobody asked for, and keeps
 * it open although nothing is ever sent on it.
 */
export class ConnectionPool {
  readonly #origin: string
  readonly #options: ConnectionPoolOptions
  readonly #all = new Set<Client>()
  readonly #idle: Client[] = []
  readonly #waiting: Waiting[] = []
  #connect: buildConnector.connector | undefined
  #isDestroyed = false

  constructor(origin: string, options: ConnectionPoolOptions) {
    this.#origin = origin
    this.#options = options
  }

  /** Sends the request as soon as there is a connection for it. */
  readonly dispatch: Dispatcher['dispatch'] = (request, handler) => {
    const client = this.#take()
    if (client === undefined) this.#waiting.push({ request, handler })
    else this.#send(client, request, handler)
    return this.#waiting.length === 0
  }

  /** Ends every connection at once, and every exchange with it; later ones fail. */
  async destroy(): Promise<void> {
    this.#isDestroyed = true
    const clients = [...this.#all]
    this.#all.clear()
    this.#idle.length = 0
    for (const { request, handler } of this.#waiting.splice(0)) this.dispatch(request, handler)
    await Promise.all(clients.map((client) => client.destroy()))
  }

  #take(): Client | undefined {
    const idle = this.#idle.pop()
    if (idle !== undefined || this.#all.size >= this.#options.connections) return idle
    const client = new (undici().Client)(this.#origin, {
      pipelining: 1,
      keepAliveTimeout: this.#options.keepAliveMs,
      connect: this.#connector(),
    })
    // A destroyed client fails what it is sent, in undici's own words.
    if (this.#isDestroyed) void client.destroy()
    else this.#all.add(client)
    return client
  }

  /** One for all connections, so that they share the sessions of TLS. */
  #connector(): buildConnector.connector {
    if (this.#connect !== undefined) return this.#connect
    const connect = undici().buildConnector({ timeout: this.#options.connectTimeoutMs })
    this.#connect = (target, callback) => {
      connect(target, (...result: buildConnector.CallbackArgs) => {
        const [error, socket] = result
        if (error !== null) return callback(error, null)
        joinWrites(socket)
        callback(null, socket)
      })
    }
    return this.#connect
  }

  #send(client: Client, request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const settle = (ended: boolean) => {
      if (ended) this.#giveBack(client)
      else this.#discard(client)
    }
    client.dispatch(request, new Lease(handler, settle))
  }

  #giveBack(client: Client): void {
    if (!this.#all.has(client)) return
    const next = this.#waiting.shift()
    if (next === undefined) this.#idle.push(client)
    else this.#send(client, next.request, next.handler)
  }

  #discard(client: Client): void {
    if (!this.#all.delete(client)) return
    client.destroy().catch(() => {})
    if (this.#waiting.length === 0) return
    const other = this.#take()
    const next = other && this.#waiting.shift()
    if (other !== undefined && next !== undefined) this.#send(other, next.request, next.handler)
  }
}

/** Reports, once, how an exchange ended on its connection. */
class Lease extends ForwardingHandler {
  readonly #settle: (ended: boolean) => void

  constructor(handler: Dispatcher.DispatchHandler, settle: (ended: boolean) => void) {
    super(handler)
    this.#settle = settle
  }

  override onResponseEnd(controller: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    this.#settle(true)
    super.onResponseEnd(controller, trailers)
  }

  override onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle(false)
    super.onResponseError(controller, error)
  }
}
