import { type JsonObject, stringifyJson } from '../util/json/json.js'

/** Names one event of a record: `<epoch>-<seq>`, in the order in which events happened. */
export type EventId = string

/** An event as its producer makes it: plain data, with `type` first. It becomes text when it gets its id. */
export interface TypedEvent {
  readonly type: string
}

/** One event of a record, as it was stored: `json` is the text of an object with `type`. */
export interface StateEvent {
  readonly id: EventId
  readonly type: string
  readonly json: string
  /** What `json` is the text of, for live readers in the process that made it. */
  readonly data?: TypedEvent | undefined
}

/** An event as the log holds it; the first of an epoch knows which event was the last before it (`''`: none). */
export interface LoggedEvent extends StateEvent {
  readonly previous?: EventId
}

/** An event that has no id, as text. */
export type NewEvent = Pick<StateEvent, 'type' | 'json'>

/** Events that get consecutive ids in the lease's epoch, from `<epoch>-<first>` on. */
export interface EventBatch {
  /** From 1. */
  readonly first: number
  readonly events: readonly NewEvent[]
}

/** `gap`: events before the next one are gone; the turn's record has their outcome. */
export type FollowedItem = ({ readonly kind: 'event' } & StateEvent) | { readonly kind: 'gap' }

const MAX_DIGITS = 10
const ZERO = 48

/** The two numbers of an event's name; undefined for any other text. */
export function parseEventId(text: string): { readonly epoch: number; readonly seq: number } | undefined {
  const dash = text.indexOf('-')
  const epoch = digits(text, 0, dash)
  const seq = digits(text, dash + 1, text.length)
  return epoch === undefined || seq === undefined ? undefined : { epoch, seq }
}

/** One to ten digits as a number. By hand: every event of every turn comes here, and an expression makes lists. */
function digits(text: string, from: number, to: number): number | undefined {
  if (to <= from || to - from > MAX_DIGITS) return undefined
  let number = 0
  for (let place = from; place < to; place += 1) {
    const digit = text.charCodeAt(place) - ZERO
    if (digit < 0 || digit > 9) return undefined
    number = 10 * number + digit
  }
  return number
}

/** The name of the event with these numbers. */
export function eventId(epoch: number, seq: number): EventId {
  return `${epoch}-${seq}`
}

/** A name that comes before an event's and after all of earlier epochs. */
export function placeBefore(id: EventId): EventId {
  return eventId(parseEventId(id)?.epoch ?? 0, 0)
}

/** The name of the event that comes this many later in the same epoch. */
export function placeAfter(id: EventId, count: number): EventId {
  const { epoch = 0, seq = 0 } = parseEventId(id) ?? {}
  return eventId(epoch, seq + count)
}

/** Below zero when the first event happened earlier; an invalid event id counts as earliest. */
export function compareEventIds(left: EventId, right: EventId): number {
  const [a, b] = [parseEventId(left), parseEventId(right)]
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined)
  return a.epoch - b.epoch || a.seq - b.seq
}

/** True when nothing can lie between the two: the next number of the same epoch. */
export function followsDirectly(previous: EventId, next: EventId): boolean {
  const [a, b] = [parseEventId(previous), parseEventId(next)]
  return a !== undefined && b !== undefined && a.epoch === b.epoch && b.seq === a.seq + 1
}

/** An event of a type and further properties, as text: `type` comes first. */
export function typedEvent(type: string, payload: JsonObject): Omit<StateEvent, 'id'> {
  return { type, json: stringifyJson({ type, ...payload }) }
}

/** An event in one line: JSON has no line breaks, and types have no blanks. */
export function writeEventLine({ type, json }: Omit<StateEvent, 'id'>): string {
  return `${type} ${json}`
}

/** Reads what {@link writeEventLine} wrote. */
export function readEventLine(id: EventId, line: string, previous?: EventId): LoggedEvent {
  const blank = line.indexOf(' ')
  const event = { id, type: line.slice(0, blank), json: line.slice(blank + 1) }
  return previous === undefined ? event : { ...event, previous }
}

/** Parses a notification of events: the first event's id, the id before it if it is the first of its epoch, then lines. */
export function readEventMessage(message: string): readonly LoggedEvent[] {
  const [head = '', ...lines] = message.split('\n')
  const [id = '', previous] = head.split(' ')
  const first = parseEventId(id)
  if (first === undefined) return []
  return lines.map((line, index) =>
    readEventLine(eventId(first.epoch, first.seq + index), line, index === 0 ? previous : undefined),
  )
}

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
