/** Names one event of a record: `<epoch>-<seq>`, in the order in which events happened. */
export type EventId = string

const MOST_DIGITS = 10
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
  if (to <= from || to - from > MOST_DIGITS) return undefined
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

/** Below zero when the first event happened earlier; what is no event id counts as earliest. */
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
