import type { RecordAddress } from './contract/record-state.js'
import type { TurnView } from './contract/turn-state.js'
import {
  compareEventIds,
  type EventId,
  type FollowedItem,
  type LoggedEvent,
  type StateEvent,
} from './logged-event.js'
import type { StateStore } from './state-store.js'

/** Where a reader begins: at an event, or after one that it has. */
export type EventPlace = { readonly from: EventId } | { readonly after: EventId }

/** How many events are read at once. */
const PAGE = 500

/**
 * The events of a turn that is over, from a place to its last: from the log as far as that has them, with a gap where it has
 * them no more. The last one is made of the turn's record when the log has lost it, so that every reader gets it.
 *
 * @param last makes the turn's last event of its record
 */
export async function* replayTurn(
  store: Pick<StateStore, 'events'>,
  address: RecordAddress,
  view: TurnView,
  place: EventPlace,
  last: (view: TurnView) => Omit<StateEvent, 'id'>,
): AsyncGenerator<FollowedItem> {
  const { lastEvent } = view
  const after = 'after' in place ? place.after : undefined
  if (lastEvent === undefined || (after !== undefined && compareEventIds(after, lastEvent) >= 0)) return
  const made = (): FollowedItem => ({ kind: 'event', id: lastEvent, ...last(view) })
  let next = after ?? view.firstEvent ?? lastEvent
  let isFirst = true
  for (;;) {
    const page = await store.events.range(address, next, PAGE)
    if (isFirst && misses(page[0], next, after !== undefined)) yield { kind: 'gap' }
    const fresh = page.filter(({ id }) => id !== after && (isFirst || id !== next))
    for (const event of fresh) {
      if (compareEventIds(event.id, lastEvent) > 0) break
      yield toFollowed(event)
    }
    const end = page.at(-1)
    if (end === undefined) return yield made()
    if (compareEventIds(end.id, lastEvent) >= 0) {
      // The turn's own events are gone, and a later turn's are there.
      if (!page.some(({ id }) => id === lastEvent)) yield made()
      return
    }
    if (page.length < PAGE) return yield made()
    isFirst = false
    next = end.id
  }
}

/** An event as readers get it. */
export function toFollowed({ id, type, json, data }: StateEvent): FollowedItem {
  return { kind: 'event', id, type, json, data }
}

/**
 * Whether what a reader asked for is gone: a page begins with it, or with an event before which there was nothing else.
 * A process that died before it stored its first event leaves its number unused.
 */
function misses(first: LoggedEvent | undefined, wanted: EventId, isKnown: boolean): boolean {
  if (first?.id === wanted) return false
  return isKnown || first?.previous === undefined || compareEventIds(first.previous, wanted) >= 0
}
