import { anyObject, looseObject } from './any-object.js'
import { ResponseAnswer } from './chat-api.js'
import { optional } from './optional.js'
import { type Static, Type } from './type.js'

const metadata = Type.Optional(
  Type.Union([Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 })), Type.Null()], {
    description: 'Up to 16 texts by name',
  }),
)

export const ResponseParams = Type.Object({
  response: Type.String({
    minLength: 1,
    description: 'A response’s id',
    examples: ['resp_0a1b2c3d4e5f6a7b'],
  }),
})
export type ResponseParams = Static<typeof ResponseParams>

/** Query of `GET /v1/responses/{response}`. */
export const ResponseQuery = Type.Object({
  stream: Type.Optional(
    Type.Boolean({ description: 'Answer with the response’s events, those to come included' }),
  ),
  starting_after: optional.integer('With `stream`: only events with a larger `sequence_number`', {
    minimum: 0,
  }),
  include: Type.Optional(
    Type.Unknown({ description: 'Accepted and ignored: stored events are always included' }),
  ),
  include_obfuscation: Type.Optional(Type.Boolean({ description: 'Accepted and ignored' })),
})
export type ResponseQuery = Static<typeof ResponseQuery>

export const StoredResponse = ResponseAnswer

/** Query of lists of items. */
export const ItemsQuery = Type.Object({
  limit: optional.integer('Items per page, by default 20', { minimum: 1, maximum: 100 }),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'By age; default `desc`' })),
  after: optional.text('`last_id` of the page before'),
  include: Type.Optional(
    Type.Unknown({ description: 'Accepted and ignored: stored events are always included' }),
  ),
})
export type ItemsQuery = Static<typeof ItemsQuery>

/** Query of single items. */
export const ItemsInclude = Type.Object({
  include: Type.Optional(
    Type.Unknown({ description: 'Accepted and ignored: stored events are always included' }),
  ),
})

/** A message, a call, its result, or reasoning. */
export const ConversationItem = anyObject({
  title: 'ConversationItem',
  description: 'An item as OpenAI’s responses interface has it',
})

export const ItemList = Type.Object(
  {
    object: Type.Literal('list', { description: 'What this is' }),
    data: Type.Array(ConversationItem, { description: 'Items of this page' }),
    first_id: Type.Union([Type.String(), Type.Null()], { description: 'Of the first item' }),
    last_id: Type.Union([Type.String(), Type.Null()], { description: '`after` of the next page' }),
    has_more: Type.Boolean({ description: 'Whether there is another page' }),
  },
  { title: 'ItemList', description: 'A page of items' },
)

export const Deleted = looseObject(
  {
    id: Type.String({ description: 'What was deleted' }),
    object: Type.String({ description: 'Its kind' }),
    deleted: Type.Boolean({ description: 'Always true' }),
  },
  { title: 'Deleted', description: 'What was deleted' },
)

export const ConversationParams = Type.Object({
  conversation: Type.String({
    minLength: 1,
    description: 'A conversation’s id',
    examples: ['conv_0a1b2c3d4e5f6a7b'],
  }),
})
export type ConversationParams = Static<typeof ConversationParams>

export const ConversationItemParams = Type.Object({
  conversation: ConversationParams.properties.conversation,
  item: Type.String({ minLength: 1, description: 'An item’s id', examples: ['msg_0a1b2c3d4e5f6a7b'] }),
})
export type ConversationItemParams = Static<typeof ConversationItemParams>

const items = Type.Array(anyObject(), { maxItems: 20, description: 'Items to add, up to 20' })

/** Body of `POST /v1/conversations`. */
export const ConversationBody = Type.Object(
  { metadata, items: optional.orNull(items, 'Items that it begins with, up to 20') },
  { title: 'ConversationRequest', default: {}, examples: [{ metadata: { topic: 'demo' } }] },
)
export type ConversationBody = Static<typeof ConversationBody>

/** Body of `POST /v1/conversations/{conversation}`. */
export const ConversationUpdate = Type.Object(
  { metadata },
  { title: 'ConversationUpdate', examples: [{ metadata: { topic: 'demo' } }] },
)
export type ConversationUpdate = Static<typeof ConversationUpdate>

/** Body of `POST /v1/conversations/{conversation}/items`. */
export const ConversationItems = Type.Object(
  { items },
  {
    title: 'ConversationItems',
    examples: [{ items: [{ type: 'message', role: 'user', content: 'Hello' }] }],
  },
)
export type ConversationItems = Static<typeof ConversationItems>

export const ConversationObject = looseObject(
  {
    id: Type.String({ description: 'Its id' }),
    object: Type.Literal('conversation', { description: 'What this is' }),
    created_at: Type.Integer({ description: 'In seconds since 1970' }),
  },
  { title: 'Conversation', description: 'A conversation that responses are added to' },
)
