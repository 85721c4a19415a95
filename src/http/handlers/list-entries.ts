import type { FastifyReply, FastifyRequest } from 'fastify'
import { visibleSnapshot } from '../../access/visible-snapshot.js'
import type { Registry } from '../../registry/registry.js'
import type { ListQuery } from '../../schema/api.js'
import { gzipLarge, takesGzip } from '../answers/compress-large.js'
import { toJsonText } from '../answers/json-text.js'
import { KeptPages } from '../answers/kept-pages.js'
import { wantsLegacyShape } from '../answers/legacy-api.js'
import { sendInPieces } from '../answers/send-in-pieces.js'
import { listPage, matchingIds } from '../catalog/list-page.js'
import type { Entry, Shelf } from '../catalog/shelf.js'
import { accessOf } from '../doors/caller.js'

/** Smaller pages are made faster than they are kept. */
const MIN_KEPT_ROWS = 1_000

/** Lists a shelf, page by page; for the Go original's clients all ids at once. */
export function listEntries<Item extends Entry>(registry: Registry, shelf: Shelf<Item>) {
  const kept = new KeptPages()
  return async (
    request: FastifyRequest<{ Querystring: ListQuery }>,
    reply: FastifyReply,
  ): Promise<object> => {
    // The schema was checked, and filled in `limit`.
    const query = request.query
    const snapshot = visibleSnapshot(accessOf(request), registry, registry.current)
    if (!wantsLegacyShape(request)) {
      if (!isPlain(query) || !takesGzip(request.headers)) return listPage(shelf, snapshot, query)
      const make = async () => gzipLarge(toJsonText(await listPage(shelf, snapshot, query)))
      const body = await kept.find(
        snapshot,
        `${query.limit} ${query.fields ?? ''} ${query.cursor ?? ''}`,
        make,
      )
      if (typeof body !== 'string') reply.header('content-encoding', 'gzip')
      return reply.type('application/json; charset=utf-8').serializer(String).send(body)
    }
    // Those expect to find what is in their store, and nothing else.
    return sendInPieces(reply, await matchingIds(shelf, shelf.items(snapshot), query, true))
  }
}

/** A large page of a whole list, not of what was searched for. */
function isPlain({ limit, id, q, supports, status }: ListQuery): boolean {
  return limit >= MIN_KEPT_ROWS && [id, q, supports, status].every((each) => each === undefined)
}
