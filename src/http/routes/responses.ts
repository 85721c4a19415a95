import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Conversations } from '../../responses/conversations.js'
import type { Responses } from '../../responses/responses.js'
import { BODY_ERRORS, ENTRY_ERRORS, errorAnswers } from '../../schema/error-answers.js'
import {
  ConversationBody,
  ConversationItem,
  ConversationItemParams,
  ConversationItems,
  ConversationObject,
  ConversationParams,
  ConversationUpdate,
  Deleted,
  ItemList,
  ItemsInclude,
  ItemsQuery,
  ResponseParams,
  ResponseQuery,
  StoredResponse,
} from '../../schema/responses-api.js'
import { answerOrStream, ProtocolEvent } from '../../schema/streams.js'
import { invalidField } from '../../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, own } from '../../util/json/json.js'
import { textField } from '../../util/json/json-fields.js'
import { sendEvents } from '../chat/relay-response.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { ownerOf } from '../doors/owner.js'
import { PING_MS } from '../streams/event-stream.js'

export interface ResponseRoutesDependencies {
  readonly responses: Responses
  readonly conversations: Conversations
  /** Default 15 seconds. */
  readonly pingMs?: number | undefined
}

const ofResponse = errorAnswers(...ENTRY_ERRORS, 'invalid_request', 'response_not_found', 'not_ready')
const ofConversation = errorAnswers(
  ...BODY_ERRORS,
  'conversation_not_found',
  'item_not_found',
  'already_exists',
)

type OfResponse = FastifyRequest<{ Params: ResponseParams }>
type OfConversation = FastifyRequest<{ Params: ConversationParams }>

/** `/v1/responses/{id}` and `/v1/conversations`: what is kept of responses, as OpenAI's clients ask for it. */
export function responseRoutes({
  responses,
  conversations,
  pingMs = PING_MS,
}: ResponseRoutesDependencies): FastifyPluginAsync {
  async function getResponse(
    request: FastifyRequest<{ Params: ResponseParams; Querystring: ResponseQuery }>,
    reply: FastifyReply,
  ): Promise<JsonObject | FastifyReply> {
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

  async function deleteResponse(request: OfResponse): Promise<JsonObject> {
    const { response } = request.params
    await responses.remove(ownerOf(request), response)
    return { id: response, object: 'response', deleted: true }
  }

  function cancelResponse(request: OfResponse): Promise<JsonObject> {
    return responses.cancel(ownerOf(request), request.params.response)
  }

  async function listInputItems(
    request: FastifyRequest<{ Params: ResponseParams; Querystring: ItemsQuery }>,
  ): Promise<JsonObject> {
    return pageOf(await responses.inputItems(ownerOf(request), request.params.response), request.query)
  }

  function createConversation(request: FastifyRequest<{ Body: ConversationBody }>): Promise<JsonObject> {
    const { metadata, items } = request.body
    return conversations.create(ownerOf(request), metadata ?? {}, (items ?? []).filter(isJsonObject))
  }

  function getConversation(request: OfConversation): Promise<JsonObject> {
    return conversations.read(ownerOf(request), request.params.conversation)
  }

  function updateConversation(
    request: FastifyRequest<{ Params: ConversationParams; Body: ConversationUpdate }>,
  ): Promise<JsonObject> {
    const { metadata } = request.body
    return conversations.update(ownerOf(request), request.params.conversation, metadata ?? {})
  }

  async function deleteConversation(request: OfConversation): Promise<JsonObject> {
    const { conversation } = request.params
    await conversations.remove(ownerOf(request), conversation)
    return { id: conversation, object: 'conversation.deleted', deleted: true }
  }

  async function listItems(
    request: FastifyRequest<{ Params: ConversationParams; Querystring: ItemsQuery }>,
  ): Promise<JsonObject> {
    return pageOf(await conversations.items(ownerOf(request), request.params.conversation), request.query)
  }

  async function addItems(
    request: FastifyRequest<{ Params: ConversationParams; Body: ConversationItems }>,
  ): Promise<JsonObject> {
    const given = request.body.items.filter(isJsonObject)
    const added = await conversations.addItems(ownerOf(request), request.params.conversation, given)
    return listOf(added, false)
  }

  function getItem(request: FastifyRequest<{ Params: ConversationItemParams }>): Promise<JsonObject> {
    const { conversation, item } = request.params
    return conversations.item(ownerOf(request), conversation, item)
  }

  function deleteItem(request: FastifyRequest<{ Params: ConversationItemParams }>): Promise<JsonObject> {
    const { conversation, item } = request.params
    return conversations.removeItem(ownerOf(request), conversation, item)
  }

  return async (server) => {
    needsScopes(server, 'chat')
    const response = { tags: ['openai'], params: ResponseParams }
    const conversation = { tags: ['openai'], params: ConversationParams }
    const item = { tags: ['openai'], params: ConversationItemParams }
    const made = { 200: ConversationObject, ...ofConversation }
    server.get(
      '/v1/responses/:response',
      {
        schema: {
          ...response,
          operationId: 'getResponse',
          summary: 'Read a kept response',
          description:
            'With `stream=true` its events from the first, or after `starting_after`, with the numbers they were first sent with; the events of a running response follow as they happen.',
          querystring: ResponseQuery,
          response: {
            200: answerOrStream(
              StoredResponse,
              ProtocolEvent,
              'The response, or its events with `stream=true`',
            ),
            ...ofResponse,
          },
        },
      },
      getResponse,
    )
    server.delete(
      '/v1/responses/:response',
      {
        schema: {
          ...response,
          operationId: 'deleteResponse',
          summary: 'Delete a kept response',
          description:
            'A running response is ended first. Responses that follow it can no longer be continued.',
          response: { 200: Deleted, ...ofResponse },
        },
      },
      deleteResponse,
    )
    server.post(
      '/v1/responses/:response/cancel',
      {
        schema: {
          ...response,
          operationId: 'cancelResponse',
          summary: 'Cancel a background response',
          description: 'One that has ended stays as it is; one without `background: true` is 400.',
          response: { 200: StoredResponse, ...ofResponse },
        },
      },
      cancelResponse,
    )
    server.get(
      '/v1/responses/:response/input_items',
      {
        schema: {
          ...response,
          operationId: 'listInputItems',
          summary: 'List the input items of a response',
          description:
            'Those of the responses that it continues included; the newest first unless `order` is `asc`.',
          querystring: ItemsQuery,
          response: { 200: ItemList, ...ofResponse },
        },
      },
      listInputItems,
    )
    server.post(
      '/v1/conversations',
      {
        schema: {
          tags: ['openai'],
          operationId: 'createConversation',
          summary: 'Create a conversation',
          description: 'Responses that name it in `conversation` are added to it, one at a time.',
          body: ConversationBody,
          response: made,
        },
      },
      createConversation,
    )
    server.get(
      '/v1/conversations/:conversation',
      {
        schema: {
          ...conversation,
          operationId: 'getConversation',
          summary: 'Read a conversation',
          description: 'Its items have a list of their own.',
          response: made,
        },
      },
      getConversation,
    )
    server.post(
      '/v1/conversations/:conversation',
      {
        schema: {
          ...conversation,
          operationId: 'updateConversation',
          summary: 'Replace a conversation’s metadata',
          description: 'What it had before and is not named is gone.',
          body: ConversationUpdate,
          response: made,
        },
      },
      updateConversation,
    )
    server.delete(
      '/v1/conversations/:conversation',
      {
        schema: {
          ...conversation,
          operationId: 'deleteConversation',
          summary: 'Delete a conversation with its items',
          description:
            'Responses that were kept stay. While a response adds to it: 409 `conversation_locked`.',
          response: { 200: Deleted, ...ofConversation },
        },
      },
      deleteConversation,
    )
    server.get(
      '/v1/conversations/:conversation/items',
      {
        schema: {
          ...conversation,
          operationId: 'listConversationItems',
          summary: 'List the items of a conversation',
          description: 'The newest first unless `order` is `asc`.',
          querystring: ItemsQuery,
          response: { 200: ItemList, ...ofConversation },
        },
      },
      listItems,
    )
    server.post(
      '/v1/conversations/:conversation/items',
      {
        schema: {
          ...conversation,
          operationId: 'createConversationItems',
          summary: 'Add items to a conversation',
          description:
            'At its end, up to 20 at once. While a response adds to it: 409 `conversation_locked`.',
          querystring: ItemsInclude,
          body: ConversationItems,
          response: { 200: ItemList, ...ofConversation },
        },
      },
      addItems,
    )
    server.get(
      '/v1/conversations/:conversation/items/:item',
      {
        schema: {
          ...item,
          operationId: 'getConversationItem',
          summary: 'Read an item of a conversation',
          description: 'By the id that lists and answers have.',
          querystring: ItemsInclude,
          response: { 200: ConversationItem, ...ofConversation },
        },
      },
      getItem,
    )
    server.delete(
      '/v1/conversations/:conversation/items/:item',
      {
        schema: {
          ...item,
          operationId: 'deleteConversationItem',
          summary: 'Delete an item of a conversation',
          description: 'Answers with the conversation.',
          response: made,
        },
      },
      deleteItem,
    )
  }
}

const DEFAULT_LIMIT = 20

/** One page of items, given oldest first. @throws ServiceError `invalid_request` for an unknown `after` */
function pageOf(items: readonly JsonObject[], { limit, order, after }: ItemsQuery): JsonObject {
  const sorted = order === 'asc' ? items : [...items].reverse()
  const found = after === undefined ? -1 : sorted.findIndex((item) => own(item, 'id') === after)
  if (after !== undefined && found < 0) throw invalidField('after', 'names no item of this list')
  const end = found + 1 + (limit ?? DEFAULT_LIMIT)
  return listOf(sorted.slice(found + 1, end), sorted.length > end)
}

function listOf(data: readonly JsonObject[], hasMore: boolean): JsonObject {
  const idOf = (item: JsonObject | undefined) => (item && textField(item, 'id')) ?? null
  return { object: 'list', data, first_id: idOf(data[0]), last_id: idOf(data.at(-1)), has_more: hasMore }
}
