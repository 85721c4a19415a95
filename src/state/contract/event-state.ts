import type { EventBatch, EventId, FollowedItem, LoggedEvent } from '../logged-event.js'
import type { Lease } from './lease-state.js'
import type { RecordAddress } from './record-state.js'

/** The log of what happens in the turns of a record. */
export interface EventState {
  /**
   * Adds events that belong to no commit. One append at a time: the next waits for this one. Ids that are there
   * already count as stored.
   *
   * @throws ServiceError `turn_interrupted`, as `commit`
   */
  append(lease: Lease, batch: EventBatch): Promise<void>
  /** Up to `count` events from `from` on, inclusive. */
  range(address: RecordAddress, from: EventId, count: number): Promise<readonly LoggedEvent[]>
  /**
   * Events as they happen, on any replica: each once, in order, from `from` (inclusive) or after `after`, until the
   * signal aborts. Every other end is an error: a closed store's, or after a `gap` the `session_not_found` or
   * `task_not_found` of a record that is gone. A reader that is slow is served from the log, not from memory.
   */
  follow(address: RecordAddress, options: EventFollowOptions): AsyncIterable<FollowedItem>
}

/** From where a log is followed, and how long. */
export interface EventFollowOptions {
  /** One of the two; neither: only what comes from now on. */
  readonly from?: EventId | undefined
  readonly after?: EventId | undefined
  readonly signal: AbortSignal
}
