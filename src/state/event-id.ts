/** Names one event of a record: `<epoch>-<seq>`, in the order in which events happened. */
export type EventId = string

const FORM = /^(\d{1,10})-(\d{1,10})$/

/** The two numbers of an event's name; undefined for any other text. */
export function parseEventId(text: string): { readonly epoch: number; readonly seq: number } | undefined {
  const [, epoch, seq] = FORM.exec(text) ?? []
  return epoch === undefined ? undefined : { epoch: Number(epoch), seq: Number(seq) }
}

/** The name of the event with these numbers. */
export function eventId(epoch: number, seq: number): EventId {
  return `${epoch}-${seq}`
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
