import type { ServiceError } from '../errors.js'
import type { EventFollowOptions } from './contract/event-state.js'
import {
  compareEventIds,
  type EventId,
  type FollowedItem,
  followsDirectly,
  type LoggedEvent,
} from './logged-event.js'

/** What a log holds from an id on. */
export interface LogPage {
  readonly events: readonly LoggedEvent[]
  /** The last event that was ever written, also when it is gone; `''` before the first. */
  readonly last: EventId | ''
  /** There may be more. */
  readonly full: boolean
}

/** What a follower reads, and where it sends it. */
export interface FollowerSource {
  /** Reads the log; undefined: the record is gone. */
  readonly read: (from: EventId) => Promise<LogPage | undefined>
  /** Waits before the log is read again after a failure. */
  readonly retry: () => Promise<void>
  /** The error that readers get when the record is gone. */
  readonly gone: () => ServiceError
  /** Called once. */
  readonly onEnd: () => void
}

/** Larger than any id: reading from here returns only the last one. */
export const END_OF_LOG: EventId = '9999999999-9999999999'
const START_OF_LOG: EventId = '0-1'
/** A reader that is further behind is served from the log. */
const MAX_QUEUED = 256

/**
 * One reader of a record's events. It reads the log to its end and then takes events from notifications, until one is
 * missing; then it reads the log again. Events that arrive twice or late are dropped by their id. The iteration ends
 * without an error only for a reader that left; any other end is an error, after the queued events.
 */
export class EventFollower implements AsyncIterable<FollowedItem> {
  readonly #source: FollowerSource
  /** Everything up to this id is queued or given out. Undefined: nothing yet, and `#from` comes first. */
  #cursor: EventId | '' | undefined
  #from: EventId | undefined
  #given: EventId | '' | undefined
  #queue: FollowedItem[] = []
  /** The log has to be read. */
  #behind = true
  /** Whether a notification arrived while the log was read. */
  #told = false
  #ended = false
  /** Why it ended; undefined: the reader left. */
  #failure: ServiceError | undefined
  #wake: (() => void) | undefined

  constructor(options: Omit<EventFollowOptions, 'signal'>, source: FollowerSource) {
    this.#from = options.from
    this.#cursor = options.after
    this.#given = options.after
    this.#source = source
  }

  /** Events that were just stored. */
  offer(events: readonly LoggedEvent[]): void {
    this.#told = true
    if (this.#behind || this.#ended) return
    for (const event of events) {
      if (this.#isKnown(event.id)) continue
      if (this.#isNext(event)) this.#push(event)
      else this.#behind = true
      if (this.#behind) break
    }
    this.#wake?.()
  }

  /** The last event of the log: anybody who has not got it reads. */
  tell(last: EventId | ''): void {
    if (last !== '' && !this.#isKnown(last)) this.recheck()
  }

  /** Something may have been missed. */
  recheck(): void {
    this.#told = true
    this.#behind = true
    this.#wake?.()
  }

  /** The reader gets what is queued, then this error; without one nothing more. */
  end(failure?: ServiceError): void {
    if (this.#ended) return
    this.#ended = true
    this.#failure = failure
    this.#source.onEnd()
    this.#wake?.()
  }

  /** The record was deleted, and its remaining events with it. */
  gone(): void {
    if (this.#ended) return
    this.#queue.push({ kind: 'gap' })
    this.end(this.#source.gone())
  }

  async *[Symbol.asyncIterator](): AsyncIterator<FollowedItem> {
    try {
      for (;;) {
        const item = this.#queue.shift()
        if (item !== undefined) {
          if (item.kind === 'event') this.#given = item.id
          yield item
        } else if (this.#ended) {
          if (this.#failure !== undefined) throw this.#failure
          return
        } else if (this.#behind) await this.#catchUp()
        else await this.#sleep()
      }
    } finally {
      this.end()
    }
  }

  #sleep(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined
        resolve()
      }
    })
  }

  async #catchUp(): Promise<void> {
    this.#told = false
    try {
      const from = this.#cursor ?? this.#from ?? END_OF_LOG
      const page = await this.#source.read(from === '' ? START_OF_LOG : from)
      if (page === undefined) this.gone()
      else this.#take(page)
    } catch {
      // The store is away: what was missed is read when it is back.
      await this.#source.retry()
    }
  }

  #take({ events, last, full }: LogPage): void {
    if (this.#cursor === undefined && this.#from === undefined) this.#cursor = last
    const fresh = events.filter(({ id }) => !this.#isKnown(id))
    const [first] = events
    if (this.#misses(first, last)) this.#queue.push({ kind: 'gap' })
    if (first === undefined && last !== '' && !this.#isKnown(last)) this.#cursor = last
    this.#behind = full || this.#told
    for (const event of fresh) this.#push(event, Number.POSITIVE_INFINITY)
  }

  /** Whether events are gone that this reader should have got. */
  #misses(first: LoggedEvent | undefined, last: EventId | ''): boolean {
    const expected = this.#cursor ?? this.#from
    if (expected === undefined || expected === '') return false
    if (first === undefined) return last !== '' && compareEventIds(last, expected) > (this.#isAfter ? 0 : -1)
    if (first.id === expected || this.#isNext(first)) return false
    return this.#isAfter || first.previous === undefined || compareEventIds(first.previous, expected) >= 0
  }

  get #isAfter(): boolean {
    return this.#cursor !== undefined
  }

  #isKnown(id: EventId): boolean {
    if (this.#cursor !== undefined) return compareEventIds(id, this.#cursor) <= 0
    return this.#from !== undefined && compareEventIds(id, this.#from) < 0
  }

  #isNext(event: LoggedEvent): boolean {
    if (this.#cursor === undefined) return event.id === this.#from
    return event.previous === this.#cursor || followsDirectly(this.#cursor, event.id)
  }

  #push({ id, type, json }: LoggedEvent, most = MAX_QUEUED): void {
    this.#cursor = id
    this.#queue.push({ kind: 'event', id, type, json })
    if (this.#queue.length <= most) return
    this.#queue = []
    this.#cursor = this.#given
    this.#behind = true
    this.#wake?.()
  }
}
