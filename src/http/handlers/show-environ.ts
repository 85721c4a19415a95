import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Registry } from '../../registry/registry.js'
import type { IdParams } from '../../schema/api.js'
import { jsonObject } from '../../util/json/json-fields.js'
import { createSlicer } from '../../util/slices/pause.js'
import { entityTag, isKnown, sendUnchanged } from '../answers/entity-tag.js'
import { wantsLegacyShape } from '../answers/legacy-api.js'
import { sendInPieces } from '../answers/send-in-pieces.js'
import { showEnviron, unknown } from '../catalog/details.js'
import { ENVIRONS } from '../catalog/shelf.js'

/** Shows a shared variable, something inside one, or all below a path. @throws ServiceError `environ_not_found` */
export function showEnvironValue(registry: Registry) {
  return async (
    request: FastifyRequest<{ Params: IdParams }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { id } = request.params
    const snapshot = registry.current
    // The message about an unknown one names those that are like it.
    if (!snapshot.environs.has(id)) await snapshot.environs.prepareIds(createSlicer())
    const shown = showEnviron(snapshot, id)
    if (!wantsLegacyShape(request)) {
      // Its value may be made of many documents: any change of the catalog may be one of it.
      const tag = entityTag('environs', id, snapshot.revision, shown.diagnostics)
      if (isKnown(request, reply, tag)) return sendUnchanged(reply)
      return sendInPieces(reply, jsonObject(shown))
    }
    if (shown.value === undefined) throw unknown(snapshot, ENVIRONS, id)
    return sendInPieces(reply, shown.value)
  }
}
