import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../../access/access.js'
import type { KeyRing } from '../../access/key-ring.js'
import { mayRead } from '../../access/may-read.js'
import { ServiceError } from '../../errors.js'
import type { ChangeFeed, FeedEntry } from '../../registry/change-feed.js'
import { isLabelEvent, kindOfEvent } from '../../registry/kinds.js'
import type { CatalogEvent, Registry } from '../../registry/registry.js'
import type { CatalogEventShape, EventsQuery } from '../../schema/events-api.js'
import type { ReadonlyStatic } from '../../schema/readonly-static.js'
import { accessOf } from '../doors/caller.js'
import { EVENT_STREAM_HEADERS, EventStream, formatEvent } from '../streams/event-stream.js'

/** What following the catalog needs. */
export interface FollowDependencies {
  readonly registry: Registry
  readonly feed: ChangeFeed
  /** A comment goes out on a stream after this long, so that proxies keep the connection. */
  readonly pingMs: number
  /** Anybody who loses its key stops reading with the next event. */
  readonly keys?: Pick<KeyRing, 'holds'> | undefined
}

/** Streams what changes in the catalog. */
export function followEvents(dependencies: FollowDependencies) {
  return (request: FastifyRequest<{ Querystring: EventsQuery }>, reply: FastifyReply): FastifyReply => {
    // HEAD asks what GET would say, and a stream has no end to wait for.
    if (request.method === 'HEAD') return reply.headers(EVENT_STREAM_HEADERS).send()
    stream(dependencies, request, reply)
    return reply
  }
}

function stream(
  { feed, registry, pingMs, keys }: FollowDependencies,
  request: FastifyRequest<{ Querystring: EventsQuery }>,
  reply: FastifyReply,
): void {
  const { kind } = request.query
  const access = accessOf(request)
  const isWanted = ({ change }: FeedEntry) => fits(change, kind) && mayHear(access, change)
  const reader = new EventStream(request, reply, { pingMs, endless: true })
  reader.write(opening(feed, registry, isWanted, request.headers['last-event-id']))
  const unfollow = feed.follow((entries) => {
    if (keys?.holds(access) === false)
      return reader.fail(new ServiceError('invalid_api_key', 'The API key is not known any more'))
    const text = entries.filter(isWanted).map((entry) => eventOf(feed, entry))
    if (text.length > 0) reader.write(text.join(''))
  })
  reader.signal.addEventListener('abort', unfollow, { once: true })
}

/** The first events of a reader: those that it missed, or the current position. */
function opening(
  feed: ChangeFeed,
  registry: Registry,
  isWanted: (entry: FeedEntry) => boolean,
  lastEventId: string | string[] | undefined,
): string {
  const missed = typeof lastEventId === 'string' ? feed.after(lastEventId) : undefined
  if (missed !== undefined)
    return `: again\n\n${missed
      .filter(isWanted)
      .map((entry) => eventOf(feed, entry))
      .join('')}`
  const { revision, sequence } = registry.current
  const type = lastEventId === undefined ? 'hello' : 'reset'
  return textOf({ type, revision, sequence }, feed.lastId)
}

function eventOf(feed: ChangeFeed, entry: FeedEntry): string {
  return textOf(shown(entry.change), feed.idOf(entry))
}

function textOf(event: ShownEvent, id: string): string {
  return formatEvent(event.type, JSON.stringify(event), id)
}

type ShownEvent = ReadonlyStatic<typeof CatalogEventShape>

/**
 * An event as readers get it: where a document is on this machine is nobody's business. Readers that know only changes of
 * documents pass over labels that move, and over what happens to documents.
 */
function shown(event: CatalogEvent): ShownEvent {
  if ('revision' in event) return { type: isLabelEvent(event.kind) ? 'release' : 'change', ...event }
  const { location: _location, ...rest } = event
  const { servingLastGood } = rest
  const isServed = servingLastGood !== undefined && { serving_last_good: servingLastGood }
  return { type: rest.change, ...rest, ...isServed }
}

/** A key that gets some labels does not hear of others. */
function mayHear(access: Access, { kind, id }: CatalogEvent): boolean {
  if (!mayRead(access, kindOfEvent(kind), id)) return false
  return !isLabelEvent(kind) || access.labels?.includes(id.slice(id.lastIndexOf('@') + 1)) !== false
}

function fits(change: CatalogEvent, kind: EventsQuery['kind']): boolean {
  return kind === undefined || change.kind === kind
}
