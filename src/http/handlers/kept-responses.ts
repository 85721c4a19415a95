import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Responses } from '../../responses/responses.js'
import type { ItemsQuery, ResponseParams, ResponseQuery } from '../../schema/responses-api.js'
import { invalidField } from '../../util/errors/invalid-input.js'
import type { JsonObject } from '../../util/json/json.js'
import { sendEvents } from '../chat/relay-response.js'
import { ownerOf } from '../doors/owner.js'
import { PING_MS } from '../streams/event-stream.js'
import { pageOfItems } from './item-page.js'

/** What showing kept responses needs. */
export interface KeptResponseDependencies {
  readonly responses: Responses
  /** Default 15 seconds. */
  readonly pingMs?: number | undefined
}

type OfResponse = FastifyRequest<{ Params: ResponseParams }>

/** Shows a response, or its events. @throws ServiceError `response_not_found`, `invalid_request` */
export function getResponse({ responses, pingMs = PING_MS }: KeptResponseDependencies) {
  return async (
    request: FastifyRequest<{ Params: ResponseParams; Querystring: ResponseQuery }>,
    reply: FastifyReply,
  ): Promise<JsonObject | FastifyReply> => {
    const { stream, starting_after: after } = request.query
    const { response } = request.params
    if (stream !== true) {
      if (after !== undefined) throw invalidField('starting_after', 'needs `stream=true`')
      return responses.read(ownerOf(request), response)
    }
    const gone = new AbortController()
    const events = await responses.follow(ownerOf(request), response, after, gone.signal)
    await sendEvents(events, { pingMs, gone }, request, reply)
    return reply
  }
}

/** Forgets a response. @throws ServiceError `response_not_found` */
export function deleteResponse({ responses }: KeptResponseDependencies) {
  return async (request: OfResponse): Promise<JsonObject> => {
    const { response } = request.params
    await responses.remove(ownerOf(request), response)
    return { id: response, object: 'response', deleted: true }
  }
}

/** Ends a background response. @throws ServiceError `response_not_found`, `invalid_request` */
export function cancelResponse({ responses }: KeptResponseDependencies) {
  return (request: OfResponse): Promise<JsonObject> =>
    responses.cancel(ownerOf(request), request.params.response)
}

/** Lists what a response was made of. @throws ServiceError `response_not_found`, `invalid_request` */
export function listInputItems({ responses }: KeptResponseDependencies) {
  return async (
    request: FastifyRequest<{ Params: ResponseParams; Querystring: ItemsQuery }>,
  ): Promise<JsonObject> =>
    pageOfItems(await responses.inputItems(ownerOf(request), request.params.response), request.query)
}
