import { LRUCache } from 'lru-cache'

export interface ConnectionCacheOptions<Connection> {
  /** More are kept by closing the one that was used least recently. */
  readonly max: number
  readonly ttlMs: number
  /** From the last use: idle connections are closed when the time is over. Default: from the beginning, at the next look. */
  readonly untilIdle?: boolean
  readonly close: (connection: Connection) => unknown
}

/** Connections by key: made when they are first needed, shared, and closed when they are forgotten or too old. */
export class ConnectionCache<Connection extends object> {
  readonly #close: (connection: Connection) => unknown
  readonly #connections: LRUCache<string, Promise<Connection>>

  constructor({ max, ttlMs, untilIdle = false, close }: ConnectionCacheOptions<Connection>) {
    this.#close = close
    this.#connections = new LRUCache<string, Promise<Connection>>({
      max,
      ttl: ttlMs,
      ttlAutopurge: untilIdle,
      updateAgeOnGet: untilIdle,
      dispose: (connection) => void this.#closed(connection),
    })
  }

  has(key: string): boolean {
    return this.#connections.has(key)
  }

  /** The connection of a key, or one that is made now; one that cannot be made is forgotten. */
  get(key: string, connect: () => Promise<Connection>): Promise<Connection> {
    const known = this.#connections.get(key)
    if (known !== undefined) return known
    const connection = connect()
    this.#connections.set(key, connection)
    connection.catch(() => this.forget(key, connection))
    return connection
  }

  /** Closes this connection, unless another one has its key by now. */
  forget(key: string, connection: Promise<Connection>): void {
    if (this.#connections.peek(key) === connection) this.#connections.delete(key)
  }

  /** Closes all, and waits until they are. */
  async close(): Promise<void> {
    const all = [...this.#connections.values()]
    this.#connections.clear()
    await Promise.all(all.map((connection) => this.#closed(connection)))
  }

  async #closed(connection: Promise<Connection>): Promise<void> {
    await connection.then(this.#close).catch(ignore)
  }
}

function ignore(): void {}
