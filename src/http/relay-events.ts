import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseEventId } from '../state/event-id.js'
import type { FollowedItem } from '../state/state-store.js'
import { invalidInput } from '../util/invalid-input.js'
import { EVENT_STREAM_HEADERS, EventStream, formatEvent } from './event-stream.js'
import { assertServing } from './life-cycle.js'

/** Sends what each of these becomes, if anything, until there are no more, or nobody reads. */
export async function relayEach<Item>(
  items: AsyncIterable<Item>,
  textOf: (item: Item) => string,
  reader: EventStream,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]()
  // Who waits for an event that does not come must be told that nobody reads any more.
  reader.signal.addEventListener('abort', () => void iterator.return?.(), { once: true })
  for (;;) {
    const { done, value } = await iterator.next()
    if (done === true || reader.signal.aborted) return
    const text = textOf(value)
    const room = text === '' ? undefined : reader.send(text)
    if (room !== undefined) await room
  }
}

/** Sends the events of a turn or task, and ends the answer. */
export async function relayEvents(events: AsyncIterable<FollowedItem>, reader: EventStream): Promise<void> {
  await relayEach(events, toText, reader)
  reader.end()
}

function toText(item: FollowedItem): string {
  return item.kind === 'gap'
    ? formatEvent('gap', '{"type":"gap"}')
    : formatEvent(item.type, item.json, item.id)
}

/**
 * Answers with events from the first or after `Last-Event-ID`, to the last.
 *
 * @param follow its signal aborts when nobody reads any more
 * @throws ServiceError `invalid_request` for a header that is no event's id, `not_ready`, and as `follow` does
 */
export async function answerFollowed(
  request: FastifyRequest,
  reply: FastifyReply,
  pingMs: number,
  follow: (after: string | undefined, signal: AbortSignal) => Promise<AsyncIterable<FollowedItem>>,
): Promise<FastifyReply> {
  assertServing(request.server)
  const gone = new AbortController()
  const events = await follow(lastEventId(request), gone.signal)
  // HEAD asks what GET would say, and a stream has no end to wait for.
  if (request.method === 'HEAD') return reply.headers(EVENT_STREAM_HEADERS).send()
  await relayEvents(events, new EventStream(request, reply, { pingMs, endless: true, gone }))
  return reply
}

function lastEventId(request: FastifyRequest): string | undefined {
  const given = request.headers['last-event-id']
  if (given === undefined || given === '') return undefined
  if (typeof given === 'string' && parseEventId(given) !== undefined) return given
  throw invalidInput('Last-Event-ID', 'Last-Event-ID is not the id of an event: <epoch>-<seq>')
}
