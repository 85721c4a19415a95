import type { FastifyPluginAsync } from 'fastify'
import { BODY_ERRORS, errorAnswers } from '../../schema/error-answers.js'
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
} from '../../schema/responses-api.js'
import { needsScopes } from '../doors/needs-scopes.js'
import {
  addItems,
  type ConversationDependencies,
  createConversation,
  deleteConversation,
  deleteItem,
  getConversation,
  getItem,
  listItems,
  updateConversation,
} from '../handlers/conversations.js'

const tags = ['openai']
const errors = errorAnswers(...BODY_ERRORS, 'conversation_not_found', 'item_not_found', 'already_exists')
const ofConversation = { tags, params: ConversationParams }
const ofItem = { tags, params: ConversationItemParams }
const conversation = { 200: ConversationObject, ...errors }
const list = { 200: ItemList, ...errors }

const CREATE = {
  tags,
  operationId: 'createConversation',
  summary: 'Create a conversation',
  description: 'Responses that name it in `conversation` are added to it, one at a time.',
  body: ConversationBody,
  response: conversation,
}

const GET = {
  ...ofConversation,
  operationId: 'getConversation',
  summary: 'Read a conversation',
  description: 'Its items have a list of their own.',
  response: conversation,
}

const UPDATE = {
  ...ofConversation,
  operationId: 'updateConversation',
  summary: 'Replace a conversation’s metadata',
  description: 'What it had before and is not named is gone.',
  body: ConversationUpdate,
  response: conversation,
}

const DELETE = {
  ...ofConversation,
  operationId: 'deleteConversation',
  summary: 'Delete a conversation with its items',
  description: 'Responses that were kept stay. While a response adds to it: 409 `conversation_locked`.',
  response: { 200: Deleted, ...errors },
}

const ITEMS = {
  ...ofConversation,
  operationId: 'listConversationItems',
  summary: 'List the items of a conversation',
  description: 'The newest first unless `order` is `asc`.',
  querystring: ItemsQuery,
  response: list,
}

const ADD_ITEMS = {
  ...ofConversation,
  operationId: 'createConversationItems',
  summary: 'Add items to a conversation',
  description: 'At its end, up to 20 at once. While a response adds to it: 409 `conversation_locked`.',
  querystring: ItemsInclude,
  body: ConversationItems,
  response: list,
}

const GET_ITEM = {
  ...ofItem,
  operationId: 'getConversationItem',
  summary: 'Read an item of a conversation',
  description: 'By the id that lists and answers have.',
  querystring: ItemsInclude,
  response: { 200: ConversationItem, ...errors },
}

const DELETE_ITEM = {
  ...ofItem,
  operationId: 'deleteConversationItem',
  summary: 'Delete an item of a conversation',
  description: 'Answers with the conversation.',
  response: conversation,
}

/** `/v1/conversations`, as OpenAI's clients ask for them. */
export function conversationRoutes(dependencies: ConversationDependencies): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'chat')
    const one = '/v1/conversations/:conversation'
    server.post('/v1/conversations', { schema: CREATE }, createConversation(dependencies))
    server.get(one, { schema: GET }, getConversation(dependencies))
    server.post(one, { schema: UPDATE }, updateConversation(dependencies))
    server.delete(one, { schema: DELETE }, deleteConversation(dependencies))
    server.get(`${one}/items`, { schema: ITEMS }, listItems(dependencies))
    server.post(`${one}/items`, { schema: ADD_ITEMS }, addItems(dependencies))
    server.get(`${one}/items/:item`, { schema: GET_ITEM }, getItem(dependencies))
    server.delete(`${one}/items/:item`, { schema: DELETE_ITEM }, deleteItem(dependencies))
  }
}
