import type { FastifyPluginAsync } from 'fastify'
import { ENTRY_ERRORS, errorAnswers } from '../../schema/error-answers.js'
import {
  Deleted,
  ItemList,
  ItemsQuery,
  ResponseParams,
  ResponseQuery,
  StoredResponse,
} from '../../schema/responses-api.js'
import { answerOrStream, ProtocolEvent } from '../../schema/streams.js'
import { needsScopes } from '../doors/needs-scopes.js'
import {
  cancelResponse,
  deleteResponse,
  getResponse,
  type KeptResponseDependencies,
  listInputItems,
} from '../handlers/kept-responses.js'

const common = { tags: ['openai'], params: ResponseParams }
const errors = errorAnswers(...ENTRY_ERRORS, 'invalid_request', 'response_not_found', 'not_ready')

const GET = {
  ...common,
  operationId: 'getResponse',
  summary: 'Read a kept response',
  description:
    'With `stream=true` its events from the first, or after `starting_after`, with the numbers they were first sent with; the events of a running response follow as they happen.',
  querystring: ResponseQuery,
  response: {
    200: answerOrStream(StoredResponse, ProtocolEvent, 'The response, or its events with `stream=true`'),
    ...errors,
  },
}

const DELETE = {
  ...common,
  operationId: 'deleteResponse',
  summary: 'Delete a kept response',
  description: 'A running response is ended first. Responses that follow it can no longer be continued.',
  response: { 200: Deleted, ...errors },
}

const CANCEL = {
  ...common,
  operationId: 'cancelResponse',
  summary: 'Cancel a background response',
  description: 'One that has ended stays as it is; one without `background: true` is 400.',
  response: { 200: StoredResponse, ...errors },
}

const INPUT_ITEMS = {
  ...common,
  operationId: 'listInputItems',
  summary: 'List the input items of a response',
  description: 'Those of the responses that it continues included; the newest first unless `order` is `asc`.',
  querystring: ItemsQuery,
  response: { 200: ItemList, ...errors },
}

/** `/v1/responses/{id}`: what is kept of responses, as OpenAI's clients ask for it. */
export function responseRoutes(dependencies: KeptResponseDependencies): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'chat')
    const response = '/v1/responses/:response'
    server.get(response, { schema: GET }, getResponse(dependencies))
    server.delete(response, { schema: DELETE }, deleteResponse(dependencies))
    server.post(`${response}/cancel`, { schema: CANCEL }, cancelResponse(dependencies))
    server.get(`${response}/input_items`, { schema: INPUT_ITEMS }, listInputItems(dependencies))
  }
}
