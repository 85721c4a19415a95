import { stringifyJson } from '../util/json/json.js'
import { type EventId, eventId, parseEventId } from './event-id.js'
import type { EventBatch, StateEvent, TypedEvent } from './state-store.js'

/** Names the events of one lease: consecutive numbers in its epoch. Here they become text. */
export class EventNames {
  readonly #epoch: number
  #count = 0

  constructor(epoch: number) {
    this.#epoch = epoch
  }

  /** The id of the last event that has one; undefined before the first. */
  get last(): EventId | undefined {
    return this.#count === 0 ? undefined : eventId(this.#epoch, this.#count)
  }

  /** Events with the ids that come next, which stay free until they are {@link take}n. */
  next(events: readonly TypedEvent[]): StateEvent[] {
    return events.map((data, index) => ({
      id: eventId(this.#epoch, this.#count + 1 + index),
      type: data.type,
      json: stringifyJson(data),
      data,
    }))
  }

  /** Marks this many of the next ids as used. */
  take(count: number): void {
    this.#count += count
  }
}

/** Named events as a store takes them. */
export function batchOf(events: readonly StateEvent[]): EventBatch {
  const first = events[0] && parseEventId(events[0].id)
  return { first: first?.seq ?? 1, events }
}
