import type { FastifyRequest } from 'fastify'
import type { Registry } from '../../registry/registry.js'
import type { Snapshot } from '../../registry/snapshot.js'
import type { IdParams } from '../../schema/api.js'
import { broken } from '../catalog/details.js'
import { legacyDetail } from '../catalog/legacy-detail.js'
import type { Entry, Shelf } from '../catalog/shelf.js'
import { wantsLegacyShape } from '../legacy-api.js'

/** What a shelf's detail says of an id; undefined for one that it does not know. */
export type Show = (snapshot: Snapshot, id: string) => object | undefined

/** Shows one document of a shelf. @throws ServiceError `extension_not_found`, … */
export function showEntry<Item extends Entry>(registry: Registry, shelf: Shelf<Item>, show: Show) {
  return async (request: FastifyRequest): Promise<object> => {
    const { id } = request.params as IdParams
    const { kind } = shelf
    let snapshot = registry.current
    // A prompt that was registered a moment ago is asked for before its change is here.
    if (kind === 'templates' && !snapshot.prompts.has(id)) snapshot = await registry.readThrough(id)
    if (wantsLegacyShape(request)) return legacyDetail(snapshot, shelf, id)
    return show(snapshot, id) ?? broken(snapshot, shelf, id)
  }
}
