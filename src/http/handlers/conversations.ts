import type { FastifyRequest } from 'fastify'
import type { Conversations } from '../../responses/conversations.js'
import type {
  ConversationBody,
  ConversationItemParams,
  ConversationItems,
  ConversationParams,
  ConversationUpdate,
  ItemsQuery,
} from '../../schema/responses-api.js'
import { isJsonObject, type JsonObject } from '../../util/json/json.js'
import { ownerOf } from '../doors/owner.js'
import { listOfItems, pageOfItems } from './item-page.js'

/** What showing and changing conversations needs. */
export interface ConversationDependencies {
  readonly conversations: Conversations
}

type OfConversation<Route extends object = object> = FastifyRequest<Route & { Params: ConversationParams }>
type OfItem = FastifyRequest<{ Params: ConversationItemParams }>

/** Makes a conversation. */
export function createConversation({ conversations }: ConversationDependencies) {
  return (request: FastifyRequest<{ Body: ConversationBody }>): Promise<JsonObject> => {
    const { metadata, items } = request.body
    return conversations.create(ownerOf(request), metadata ?? {}, (items ?? []).filter(isJsonObject))
  }
}

/** Shows a conversation. @throws ServiceError `conversation_not_found` */
export function getConversation({ conversations }: ConversationDependencies) {
  return (request: OfConversation): Promise<JsonObject> =>
    conversations.read(ownerOf(request), request.params.conversation)
}

/** Replaces what is noted of a conversation. @throws ServiceError `conversation_not_found` */
export function updateConversation({ conversations }: ConversationDependencies) {
  return (request: OfConversation<{ Body: ConversationUpdate }>): Promise<JsonObject> =>
    conversations.update(ownerOf(request), request.params.conversation, request.body.metadata ?? {})
}

/** Forgets a conversation. @throws ServiceError `conversation_not_found`, `conversation_locked` */
export function deleteConversation({ conversations }: ConversationDependencies) {
  return async (request: OfConversation): Promise<JsonObject> => {
    const { conversation } = request.params
    await conversations.remove(ownerOf(request), conversation)
    return { id: conversation, object: 'conversation.deleted', deleted: true }
  }
}

/** Lists the items of a conversation. @throws ServiceError `conversation_not_found`, `invalid_request` */
export function listItems({ conversations }: ConversationDependencies) {
  return async (request: OfConversation<{ Querystring: ItemsQuery }>): Promise<JsonObject> =>
    pageOfItems(await conversations.items(ownerOf(request), request.params.conversation), request.query)
}

/** Adds items to a conversation. @throws ServiceError `conversation_not_found`, `conversation_locked` */
export function addItems({ conversations }: ConversationDependencies) {
  return async (request: OfConversation<{ Body: ConversationItems }>): Promise<JsonObject> => {
    const given = request.body.items.filter(isJsonObject)
    return listOfItems(
      await conversations.addItems(ownerOf(request), request.params.conversation, given),
      false,
    )
  }
}

/** Shows an item of a conversation. @throws ServiceError `conversation_not_found`, `item_not_found` */
export function getItem({ conversations }: ConversationDependencies) {
  return (request: OfItem): Promise<JsonObject> => {
    const { conversation, item } = request.params
    return conversations.item(ownerOf(request), conversation, item)
  }
}

/** Takes an item out of a conversation. @throws ServiceError `conversation_locked`, `item_not_found` */
export function deleteItem({ conversations }: ConversationDependencies) {
  return (request: OfItem): Promise<JsonObject> => {
    const { conversation, item } = request.params
    return conversations.removeItem(ownerOf(request), conversation, item)
  }
}
