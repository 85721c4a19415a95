import type { Redis } from 'ioredis'
import { REDIS_TIMINGS, reconnectDelay } from '../redis/redis-timings.js'
import { STATE_TIMEOUT_MS } from '../redis/writing/state-clients.js'
import { withTimeout } from '../util/time/time-limits.js'

export interface RedisSubscriberOptions {
  /** Makes a connection to a server that publishes messages; undefined while none is known. */
  readonly connect: () => Redis | undefined
  readonly onMessage: (channel: string, message: string) => void
  /** Called whenever telling begins: what was published before was missed. */
  readonly onUp: () => void
}

const HEARTBEAT_MS = 1_000

/**
 * The one connection of a process for all its subscriptions. An unresponsive connection is replaced, on another server
 * if there is one.
 */
export class RedisSubscriber {
  readonly #options: RedisSubscriberOptions
  readonly #channels = new Set<string>()
  #client: Redis | undefined
  #up = false
  #attempt = 0
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: RedisSubscriberOptions) {
    this.#options = options
  }

  /** Connects; resolves after the first attempt, successful or not. Reconnects until closed. */
  async open(): Promise<void> {
    const client = this.#options.connect()
    if (client === undefined) return this.#again()
    this.#client = client
    client.once('end', () => this.#lost(client))
    client.on('message', this.#options.onMessage)
    try {
      await withTimeout(client.connect(), STATE_TIMEOUT_MS)
      if (this.#channels.size > 0) await withTimeout(client.subscribe(...this.#channels), STATE_TIMEOUT_MS)
      this.#up = true
      this.#attempt = 0
      this.#beat(client)
      if (!this.#closed) this.#options.onUp()
    } catch {
      this.#lost(client)
    }
  }

  /** Resolves when messages of the channel will arrive, or at once while there is no connection. */
  async subscribe(channel: string): Promise<void> {
    this.#channels.add(channel)
    const client = this.#client
    if (client === undefined || !this.#up) return
    await withTimeout(client.subscribe(channel), STATE_TIMEOUT_MS).catch(() => this.#lost(client))
  }

  unsubscribe(channel: string): void {
    this.#channels.delete(channel)
    if (this.#up) this.#client?.unsubscribe(channel).catch(() => {})
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#client?.disconnect()
  }

  #lost(client: Redis): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#up = false
    client.disconnect()
    this.#again()
  }

  #again(): void {
    clearTimeout(this.#timer)
    if (this.#closed) return
    const delay = reconnectDelay(this.#attempt, REDIS_TIMINGS)
    this.#attempt += 1
    this.#timer = setTimeout(() => void this.open(), delay)
  }

  #beat(client: Redis): void {
    this.#timer = setTimeout(() => {
      withTimeout(client.ping(), STATE_TIMEOUT_MS).then(
        () => this.#client === client && this.#beat(client),
        () => this.#lost(client),
      )
    }, HEARTBEAT_MS)
  }
}
