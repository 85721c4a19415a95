import type { EventState } from './contract/event-state.js'
import type { RecordAddress } from './contract/record-state.js'
import { EventFeed } from './event-feed.js'
import type { LogPage } from './event-follower.js'
import { type EventId, readEventMessage } from './logged-event.js'
import type { RedisConnection } from './redis-connection.js'
import { RedisSubscriber } from './redis-subscriber.js'
import { eventsKey, type StateKeys } from './state-keys.js'
import type { StateStore } from './state-store.js'

/** Options of the channels on which processes notify each other. */
export interface RedisNewsOptions {
  readonly connection: RedisConnection
  readonly keys: StateKeys
  /** How often followed logs are compared with what was published. Default 2,000. */
  readonly pollMs?: number | undefined
  /** Events of a record from an id on, inclusive; undefined: there is no such record. */
  readonly read: (address: RecordAddress, from: EventId) => Promise<LogPage | undefined>
}

type CancelListener = Parameters<StateStore['onCancel']>[0]

const DEFAULT_POLL_MS = 2_000

/** Notifications from other processes about records: events of followed records, and cancellations. */
export class RedisNews {
  readonly #keys: StateKeys
  readonly #subscriber: RedisSubscriber
  readonly #feed: EventFeed
  readonly #addresses = new Map<string, RecordAddress>()
  readonly #cancelListeners = new Set<CancelListener>()

  constructor({ connection, keys, pollMs = DEFAULT_POLL_MS, read }: RedisNewsOptions) {
    this.#keys = keys
    this.#feed = new EventFeed({
      source: {
        read,
        subscribe: (address) => this.#subscribe(address),
        unsubscribe: (address) => this.#unsubscribe(address),
      },
      pollMs,
    })
    this.#subscriber = new RedisSubscriber({
      connect: () => connection.connectSubscriber(),
      onMessage: (channel, message) => this.#told(channel, message),
      onUp: () => this.#feed.recheck(),
    })
  }

  /** Resolves after the first attempt, successful or not. */
  async open(): Promise<void> {
    await this.#subscriber.open()
    await this.#subscriber.subscribe(this.#keys.cancels)
  }

  /** All followers end. */
  close(): void {
    this.#feed.close()
    this.#subscriber.close()
  }

  /** See {@link EventState.follow}. */
  follow(...[address, options]: Parameters<EventState['follow']>): ReturnType<EventState['follow']> {
    return this.#feed.follow(address, options)
  }

  /** See {@link StateStore.onCancel}. */
  onCancel(listener: CancelListener): () => void {
    this.#cancelListeners.add(listener)
    return () => void this.#cancelListeners.delete(listener)
  }

  #subscribe(address: RecordAddress): Promise<void> {
    const channel = this.#channelOf(address)
    this.#addresses.set(channel, address)
    return this.#subscriber.subscribe(channel)
  }

  #unsubscribe(address: RecordAddress): void {
    const channel = this.#channelOf(address)
    this.#addresses.delete(channel)
    this.#subscriber.unsubscribe(channel)
  }

  #channelOf({ kind, id }: RecordAddress): string {
    return eventsKey(this.#keys.record(kind, id))
  }

  #told(channel: string, message: string): void {
    if (channel === this.#keys.cancels) this.#toldCancel(message)
    const address = this.#addresses.get(channel)
    if (address === undefined) return
    if (message === '') this.#feed.removed(address)
    else this.#feed.offer(address, readEventMessage(message))
  }

  #toldCancel(message: string): void {
    const [kind, id, turn] = message.split(' ')
    if (id === undefined || (kind !== 'session' && kind !== 'task' && kind !== 'response')) return
    for (const listener of this.#cancelListeners) listener({ record: { kind, id }, turn: Number(turn) })
  }
}
