import { type JsonObject, stringifyJson } from '../util/json/json.js'
import { type EventId, eventId, parseEventId } from './event-id.js'
import type { LoggedEvent, StateEvent } from './state-store.js'

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
