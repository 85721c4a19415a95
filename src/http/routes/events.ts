import type { FastifyPluginAsync } from 'fastify'
import type { KeyRing } from '../../access/key-ring.js'
import { createChangeFeed } from '../../registry/change-feed.js'
import type { Registry } from '../../registry/registry.js'
import { ENTRY_ERRORS, errorAnswers } from '../../schema/error-answers.js'
import { CatalogEventShape, EventsQuery } from '../../schema/events-api.js'
import { streamOf } from '../../schema/streams.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { followEvents } from '../handlers/follow-events.js'
import { whileServing } from '../requests/when-ready.js'
import { PING_MS } from '../streams/event-stream.js'

export interface EventRoutesOptions {
  readonly registry: Registry
  /** A comment goes out on a stream after this long, so that proxies keep the connection. Default 15 seconds. */
  readonly pingMs?: number
  /** The keys that are asked for, if any. */
  readonly keys?: KeyRing | undefined
}

const DESCRIPTION = `Server-sent events, one per document that a change of the catalog added, changed or removed:
\`event: change\` with \`{kind, id, revision, change}\`, \`event: release\` for a label that
moved, with its id such as \`review.code_review@production\`, and \`event: broken\` and \`event: mended\` with
\`{kind, id, change, message, line, column}\` for documents with errors. The stream begins with \`event: hello\` and the catalog's
revision, or, after \`Last-Event-ID\`, with the missed events; \`event: reset\` means that these are no longer stored:
read the lists again.`

const EVENTS = {
  operationId: 'followEvents',
  tags: ['catalog'],
  summary: 'Follow the changes of the catalog',
  description: DESCRIPTION,
  querystring: EventsQuery,
  response: {
    200: streamOf(CatalogEventShape),
    ...errorAnswers(...ENTRY_ERRORS, 'invalid_request', 'not_ready'),
  },
}

/** `GET /api/events`: what changes in the catalog, as it changes. */
export function eventRoutes({ registry, keys, pingMs = PING_MS }: EventRoutesOptions): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'read')
    const feed = createChangeFeed(registry)
    server.addHook('onClose', async () => feed.close())
    server.addHook('preHandler', whileServing)
    server.get('/api/events', { schema: EVENTS }, followEvents({ registry, feed, keys, pingMs }))
  }
}
