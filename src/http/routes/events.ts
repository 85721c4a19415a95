import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.js'
import { type ChangeFeed, createChangeFeed, type FeedEntry } from '../../registry/change-feed.js'
import type { CatalogEvent, Registry } from '../../registry/registry.js'
import { errorAnswers } from '../../schema/api.js'
import { type Static, Type } from '../../schema/type.js'

export interface EventRoutesOptions {
  readonly registry: Registry
  /** A comment goes out on a stream after this long, so that proxies keep the connection. Default 15 seconds. */
  readonly pingMs?: number
}

const KINDS = ['extension', 'prompt', 'environ', 'tool'] as const
const PING_MS = 15_000
/** A reader that lets this much pile up is sent away; it comes back with the id of the last event it read. */
const MAX_UNREAD_BYTES = 1024 * 1024
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

const EventsQuery = Type.Object({
  kind: Type.Optional(Type.Enum([...KINDS], { description: 'Only changes of this kind' })),
})
type EventsQuery = Static<typeof EventsQuery>

const DESCRIPTION = `Server-sent events, one per document that a change of the catalog added, changed or removed:
\`event: change\` with \`{kind, id, revision, change}\`, and \`event: broken\` and \`event: mended\` with
\`{kind, id, change, message, line, column}\` for documents with errors. The stream begins with \`event: hello\` and the catalog's
revision, or, after \`Last-Event-ID\`, with what was missed; \`event: reset\` says that this is no longer known and
everything should be read again.`

/** `GET /api/events`: what changes in the catalog, as it changes. */
export function eventRoutes({ registry, pingMs = PING_MS }: EventRoutesOptions): FastifyPluginAsync {
  return async (server) => {
    const feed = createChangeFeed(registry)
    server.addHook('onClose', async () => feed.close())
    server.get(
      '/api/events',
      {
        schema: {
          tags: ['catalog'],
          summary: 'Follow the changes of the catalog',
          description: DESCRIPTION,
          querystring: EventsQuery,
          response: {
            200: { description: 'The stream', content: { 'text/event-stream': { schema: Type.String() } } },
            ...errorAnswers(400, 401, 429, 503),
          },
        },
      },
      (request, reply) => {
        if (server.draining) throw new ServiceError('not_ready', 'The service is shutting down')
        // HEAD asks what GET would say, and a stream has no end to wait for.
        if (request.method === 'HEAD') return reply.headers(HEADERS).send()
        stream(feed, registry, pingMs, request, reply)
        return reply
      },
    )
  }
}

function stream(
  feed: ChangeFeed,
  registry: Registry,
  pingMs: number,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { kind } = request.query as EventsQuery
  const { openStreams } = request.server
  const response = reply.hijack().raw
  response.writeHead(200, { ...HEADERS, 'x-request-id': request.id })
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
