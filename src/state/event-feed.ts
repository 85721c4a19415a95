import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../errors.js'
import type { EventFollowOptions } from './contract/event-state.js'
import type { RecordAddress } from './contract/record-state.js'
import { END_OF_LOG, EventFollower, type LogPage } from './event-follower.js'
import type { EventId, FollowedItem, LoggedEvent } from './logged-event.js'
import { refused } from './state-errors.js'

/** Where a feed reads, and what notifies it of new events. */
export interface EventSource {
  /** Events from an id on, inclusive; undefined: there is no such record. */
  read(address: RecordAddress, from: EventId): Promise<LogPage | undefined>
  /** Resolves when {@link EventFeed.offer} will be called for the record's events, or at once when nobody can say. */
  subscribe(address: RecordAddress): Promise<void>
  unsubscribe(address: RecordAddress): void
}

export interface EventFeedOptions {
  readonly source: EventSource
  /** How often the ends of followed logs are compared with what was published; 0: never. */
  readonly pollMs: number
}

/** How many logs are asked at once. */
const POLLED_TOGETHER = 64
const RETRY_MS = 250

interface Stream {
  readonly address: RecordAddress
  readonly followers: Set<EventFollower>
  readonly subscribed: Promise<void>
  /** Reads under way by where they begin: followers that are at the same place share one. */
  readonly reads: Map<EventId, Promise<LogPage | undefined>>
  /** Whether a notification arrived since the last poll, which shows that notifications work. */
  told: boolean
}

/** Everything that this process follows: one subscription and one read per record, however many readers it has. */
export class EventFeed {
  readonly #source: EventSource
  readonly #pollMs: number
  readonly #streams = new Map<string, Stream>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor({ source, pollMs }: EventFeedOptions) {
    this.#source = source
    this.#pollMs = pollMs
  }

  /** See {@link EventState.follow}. */
  follow(address: RecordAddress, { signal, ...options }: EventFollowOptions): AsyncIterable<FollowedItem> {
    const stream = this.#streamOf(address)
    const onAbort = () => follower.end()
    const follower = new EventFollower(options, {
      read: (from) => this.#read(stream, address, from),
      retry: () => sleep(RETRY_MS),
      gone: () => refused('missing', address),
      onEnd: () => {
        signal.removeEventListener('abort', onAbort)
        this.#leave(stream, follower)
      },
    })
    stream.followers.add(follower)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) follower.end()
    else if (this.#closed) follower.end(closed())
    return follower
  }

  /** Events that were just stored. */
  offer(address: RecordAddress, events: readonly LoggedEvent[]): void {
    const stream = this.#streams.get(nameOf(address))
    if (stream === undefined) return
    stream.told = true
    // A read under way may have begun before these were stored: it is not for those who come now.
    stream.reads.clear()
    for (const follower of stream.followers) follower.offer(events)
  }

  /** Notifies followers that the record was deleted. */
  removed(address: RecordAddress): void {
    for (const follower of this.#streams.get(nameOf(address))?.followers ?? []) follower.gone()
  }

  /** What was published may have been missed: everybody reads. */
  recheck(): void {
    for (const { followers } of this.#streams.values()) for (const follower of followers) follower.recheck()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const { followers } of [...this.#streams.values()])
      for (const follower of [...followers]) follower.end(closed())
  }

  #streamOf(address: RecordAddress): Stream {
    const name = nameOf(address)
    const known = this.#streams.get(name)
    if (known !== undefined) return known
    const shared = { kind: address.kind, id: address.id }
    const subscribed = this.#source.subscribe(shared)
    const stream = {
      address: shared,
      followers: new Set<EventFollower>(),
      subscribed,
      reads: new Map(),
      told: false,
    }
    this.#streams.set(name, stream)
    if (this.#pollMs > 0) this.#timer ??= setTimeout(() => void this.#poll(), this.#pollMs)
    return stream
  }

  #leave(stream: Stream, follower: EventFollower): void {
    stream.followers.delete(follower)
    if (stream.followers.size > 0) return
    this.#streams.delete(nameOf(stream.address))
    this.#source.unsubscribe(stream.address)
  }

  /** Subscribes before it reads, so events stored in between arrive as notifications. */
  async #read(stream: Stream, address: RecordAddress, from: EventId): Promise<LogPage | undefined> {
    await stream.subscribed
    const key = `${from} ${address.owner ?? ''}`
    const shared = stream.reads.get(key)
    if (shared !== undefined) return shared
    const read = this.#source.read(address, from)
    stream.reads.set(key, read)
    const forget = () => void (stream.reads.get(key) === read && stream.reads.delete(key))
    read.then(forget, forget)
    return read
  }

  /** A frozen server sends no notifications and no error; the log of events is read to find out. */
  async #poll(): Promise<void> {
    const quiet = [...this.#streams.values()].filter(({ told }) => !told)
    for (const stream of this.#streams.values()) stream.told = false
    for (let start = 0; start < quiet.length && !this.#closed; start += POLLED_TOGETHER)
      await Promise.all(quiet.slice(start, start + POLLED_TOGETHER).map((stream) => this.#compare(stream)))
    this.#timer = undefined
    if (this.#streams.size > 0 && !this.#closed)
      this.#timer = setTimeout(() => void this.#poll(), this.#pollMs)
  }

  async #compare({ address, followers }: Stream): Promise<void> {
    const page = await this.#source.read(address, END_OF_LOG).catch(() => null)
    if (page === null) return
    for (const follower of followers) {
      if (page === undefined) follower.gone()
      else follower.tell(page.last)
    }
  }
}

function closed(): ServiceError {
  return new ServiceError('not_ready', 'The service is shutting down')
}

function nameOf({ kind, id }: RecordAddress): string {
  return `${kind} ${id}`
}
