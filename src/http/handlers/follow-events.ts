import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ChangeFeed, FeedEntry } from '../../registry/change-feed.js'
import type { CatalogEvent, Registry } from '../../registry/registry.js'
import type { EventsQuery } from '../../schema/events-api.js'
import { writeHead } from '../write-answer.js'

/** What following the catalog needs. */
export interface FollowDependencies {
  readonly registry: Registry
  readonly feed: ChangeFeed
  /** A comment goes out on a stream after this long, so that proxies keep the connection. */
  readonly pingMs: number
}

/** A reader that lets this much pile up is sent away; it comes back with the id of the last event it read. */
const MAX_UNREAD_BYTES = 1024 * 1024
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** Streams what changes in the catalog. */
export function followEvents(dependencies: FollowDependencies) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    // HEAD asks what GET would say, and a stream has no end to wait for.
    if (request.method === 'HEAD') return reply.headers(HEADERS).send()
    stream(dependencies, request, reply)
    return reply
  }
}

function stream(
  { feed, registry, pingMs }: FollowDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { kind } = request.query as EventsQuery
  const { openStreams } = request.server
  const response = writeHead(request, reply, Object.entries(HEADERS).flat())
  response.write(opening(feed, registry, kind, request.headers['last-event-id']))

  const unfollow = feed.follow((entries) => {
    const text = entries.filter(({ change }) => fits(change, kind)).map((entry) => eventOf(feed, entry))
    if (text.length > 0) response.write(text.join(''))
    if (response.writableLength > MAX_UNREAD_BYTES) response.destroy()
  })
  const ping = setInterval(() => response.write(': ping\n\n'), pingMs)
  // The connection would stay open for a next request that a closing server does not take.
  const { socket } = request.raw
  const end = () => response.end(() => socket.destroySoon())
  const open = openStreams.add(end)
  response.on('close', () => {
    clearInterval(ping)
    unfollow()
    open.remove()
  })
}

/** What a reader gets first: what it missed, or where it stands now. */
function opening(
  feed: ChangeFeed,
  registry: Registry,
  kind: EventsQuery['kind'],
  lastEventId: string | string[] | undefined,
): string {
  const missed = typeof lastEventId === 'string' ? feed.after(lastEventId) : undefined
  if (missed !== undefined)
    return `: again\n\n${missed
      .filter(({ change }) => fits(change, kind))
      .map((entry) => eventOf(feed, entry))
      .join('')}`
  const name = lastEventId === undefined ? 'hello' : 'reset'
  const { revision, sequence } = registry.current
  return `id: ${feed.lastId}\nevent: ${name}\ndata: ${JSON.stringify({ revision, sequence })}\n\n`
}

function eventOf(feed: ChangeFeed, entry: FeedEntry): string {
  return `id: ${feed.idOf(entry)}\nevent: ${nameOf(entry.change)}\ndata: ${JSON.stringify(shown(entry.change))}\n\n`
}

/** Where a document is on this machine is nobody's business. */
function shown(event: CatalogEvent): object {
  if ('revision' in event) return event
  const { location: _location, ...rest } = event
  return rest
}

/** Readers that know only changes of the catalog pass over what happens to its documents. */
function nameOf({ change }: CatalogEvent): 'change' | 'broken' | 'mended' {
  return change === 'broken' || change === 'mended' ? change : 'change'
}

function fits(change: CatalogEvent, kind: EventsQuery['kind']): boolean {
  return kind === undefined || change.kind === kind
}
