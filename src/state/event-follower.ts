import { compareEventIds, type EventId, followsDirectly } from './event-id.js'
import type { FollowedItem, FollowOptions, LoggedEvent } from './state-store.js'

/** What a log holds from an id on. */
export interface LogPage {
  readonly events: readonly LoggedEvent[]
  /** The last event that was ever written, also when it is gone; `''` before the first. */
  readonly last: EventId | ''
  /** There may be more. */
  readonly full: boolean
}

/** How a follower reads the log; undefined: the record is gone. */
export type ReadLog = (from: EventId) => Promise<LogPage | undefined>

/** Larger than any id: reading from here on tells only the last one. */
export const END_OF_LOG: EventId = '9999999999-9999999999'
const START_OF_LOG: EventId = '0-1'
/** A reader that is further behind is served from the log. */
const MAX_QUEUED = 256

/**
 * One reader of a record's events: it reads the log up to its end and then takes events as they are told, until
 * something is missing; then it reads again. What was told twice or late is dropped by its id.
 */
export class EventFollower implements AsyncIterable<FollowedItem> {
  readonly #read: ReadLog
  readonly #retry: () => Promise<void>
  readonly #onEnd: () => void
  /** Everything up to this id is queued or given out. Undefined: nothing yet, and `#from` comes first. */
  #cursor: EventId | '' | undefined
  #from: EventId | undefined
  #given: EventId | '' | undefined
  #queue: FollowedItem[] = []
  /** The log has to be read. */
  #behind = true
  /** Something was told while the log was read. */
  #told = false
  #ended = false
  #wake: (() => void) | undefined

  /** `retry` waits before the log is read again after a failure; `onEnd` is called once. */
  constructor(
    options: Omit<FollowOptions, 'signal'>,
    read: ReadLog,
    retry: () => Promise<void>,
    onEnd: () => void,
  ) {
    this.#from = options.from
    this.#cursor = options.after
    this.#given = options.after
    this.#read = read
    this.#retry = retry
    this.#onEnd = onEnd
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

  /** The last event of the log: whoever has not got it reads. */
  tell(last: EventId | ''): void {
    if (last !== '' && !this.#isKnown(last)) this.recheck()
  }

  /** Something may have been missed. */
  recheck(): void {
    this.#told = true
    this.#behind = true
    this.#wake?.()
  }

  /** The reader gets what is queued, and no more. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#onEnd()
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncIterator<FollowedItem> {
    try {
      for (;;) {
        const item = this.#queue.shift()
        if (item !== undefined) {
          if (item.kind === 'event') this.#given = item.id
          yield item
        } else if (this.#ended) return
        else if (this.#behind) await this.#catchUp()
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
      const page = await this.#read(from === '' ? START_OF_LOG : from)
      if (page === undefined) this.end()
      else this.#take(page)
    } catch {
      // The store is away: what was missed is read when it is back.
      await this.#retry()
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
