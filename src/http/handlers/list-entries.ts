import type { FastifyReply, FastifyRequest } from 'fastify'
import { visibleSnapshot } from '../../access/visible-snapshot.js'
import type { Registry } from '../../registry/registry.js'
import type { ListQuery } from '../../schema/api.js'
import { wantsLegacyShape } from '../answers/legacy-api.js'
import { sendInPieces } from '../answers/send-in-pieces.js'
import { listPage, matchingIds } from '../catalog/list-page.js'
import type { Entry, Shelf } from '../catalog/shelf.js'
import { accessOf } from '../doors/caller.js'

/** Lists a shelf, page by page; for the Go original's clients all ids at once. */
export function listEntries<Item extends Entry>(registry: Registry, shelf: Shelf<Item>) {
  return async (
    request: FastifyRequest<{ Querystring: ListQuery }>,
    reply: FastifyReply,
  ): Promise<object> => {
    // The schema was checked, and filled in `limit`.
    const query = request.query
    const snapshot = visibleSnapshot(accessOf(request), registry, registry.current)
    if (!wantsLegacyShape(request)) return listPage(shelf, snapshot, query)
    // Those expect to find what is in their store, and nothing else.
    return sendInPieces(reply, await matchingIds(shelf, shelf.items(snapshot), query, true))
  }
}
