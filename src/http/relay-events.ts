import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.js'
import { parseEventId } from '../state/event-id.js'
import type { FollowedItem } from '../state/state-store.js'
import { type EventStream, formatEvent } from './event-stream.js'

/** Sends the events of a turn or task until there are no more, or nobody reads. */
export async function relayEvents(events: AsyncIterable<FollowedItem>, reader: EventStream): Promise<void> {
  const iterator = events[Symbol.asyncIterator]()
  // Who waits for an event that does not come must be told that nobody reads any more.
  reader.signal.addEventListener('abort', () => void iterator.return?.(), { once: true })
  for (;;) {
    const { done, value } = await iterator.next()
    if (done === true || reader.signal.aborted) break
    const text =
      value.kind === 'gap'
        ? formatEvent('gap', '{"type":"gap"}')
        : formatEvent(value.type, value.json, value.id)
    const room = reader.send(text)
    if (room !== undefined) await room
  }
  reader.end()
}

/** @throws ServiceError `invalid_request` for a header that is no event's id */
export function lastEventId(request: FastifyRequest): string | undefined {
  const given = request.headers['last-event-id']
  if (given === undefined || given === '') return undefined
  if (typeof given === 'string' && parseEventId(given) !== undefined) return given
  throw new ServiceError('invalid_request', 'Last-Event-ID is not the id of an event: <epoch>-<seq>', {
    param: 'Last-Event-ID',
  })
}
