import type { FastifyReply, FastifyRequest } from 'fastify'
import { visibleSnapshot } from '../../access/visible-snapshot.js'
import type { Registry } from '../../registry/registry.js'
import type { Snapshot } from '../../registry/snapshot.js'
import type { IdParams } from '../../schema/api.js'
import { createSlicer } from '../../util/slices/pause.js'
import { entityTag, isKnown, sendUnchanged } from '../answers/entity-tag.js'
import { wantsLegacyShape } from '../answers/legacy-api.js'
import { broken, type ShownEntry } from '../catalog/details.js'
import { legacyDetail } from '../catalog/legacy-detail.js'
import type { Entry, Shelf } from '../catalog/shelf.js'
import { assertMayUse } from '../doors/assert-may-use.js'
import { accessOf } from '../doors/caller.js'
import { lifeFacts } from './show-life.js'

/** What a shelf's detail says of an id; undefined for one that it does not know. */
export type Show = (snapshot: Snapshot, id: string) => ShownEntry | undefined

/** Shows one document of a shelf. @throws ServiceError `extension_not_found`, … */
export function showEntry<Item extends Entry>(registry: Registry, shelf: Shelf<Item>, show: Show) {
  return async (request: FastifyRequest<{ Params: IdParams }>, reply: FastifyReply): Promise<object> => {
    const { id } = request.params
    const { kind } = shelf
    const access = accessOf(request)
    if (kind === 'templates') assertMayUse(request, id)
    let all = registry.current
    // A prompt that was registered a moment ago is asked for before its change is here.
    if (kind === 'templates' && !all.prompts.has(id)) all = await registry.readThrough(id)
    const snapshot = visibleSnapshot(access, registry, all)
    // The message about an unknown one names those that are like it.
    if (!shelf.items(snapshot).has(id)) await shelf.items(snapshot).prepareIds(createSlicer())
    if (wantsLegacyShape(request)) return legacyDetail(snapshot, shelf, id)
    const life = kind === 'templates' ? lifeFacts(all.promptLives.get(id), access.labels) : {}
    const shown: ShownEntry = { ...(show(snapshot, id) ?? broken(snapshot, shelf, id)), ...life }
    const { revision, function: functionName, diagnostics } = shown
    const tag = entityTag(kind, shown.id, revision, functionName, diagnostics, life)
    return isKnown(request, reply, tag) ? sendUnchanged(reply) : shown
  }
}
