import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.js'
import { type ChangeFeed, createChangeFeed, type FeedEntry } from '../../registry/change-feed.js'
import { KIND_ROWS } from '../../registry/kinds.js'
import type { CatalogEvent, Registry } from '../../registry/registry.js'
import { errorAnswers } from '../../schema/api.js'
import { type Static, Type } from '../../schema/type.js'
import { EVENT_STREAM_HEADERS, EventStream, formatEvent, PING_MS } from '../event-stream.js'

export interface EventRoutesOptions {
  readonly registry: Registry
  /** A comment goes out on a stream after this long, so that proxies keep the connection. Default 15 seconds. */
  readonly pingMs?: number
}

const KINDS = Object.values(KIND_ROWS).map(({ event }) => event)

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
        if (request.method === 'HEAD') return reply.headers(EVENT_STREAM_HEADERS).send()
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
  const reader = new EventStream(request, reply, { pingMs, endless: true })
  reader.write(opening(feed, registry, kind, request.headers['last-event-id']))
  const unfollow = feed.follow((entries) => {
    const text = entries.filter(({ change }) => fits(change, kind)).map((entry) => eventOf(feed, entry))
    if (text.length > 0) reader.write(text.join(''))
  })
  reader.signal.addEventListener('abort', unfollow, { once: true })
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
  return formatEvent(name, JSON.stringify({ revision, sequence }), feed.lastId)
}

function eventOf(feed: ChangeFeed, entry: FeedEntry): string {
  return formatEvent(nameOf(entry.change), JSON.stringify(shown(entry.change)), feed.idOf(entry))
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
