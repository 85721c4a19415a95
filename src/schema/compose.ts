import type { JsonObject } from '../util/json/json.js'
import { anyObject, closedObject, openObject } from './any-object.js'
import { optional } from './optional.js'
import { AuthoredPart } from './prompt.js'
import { ROLES } from './role.js'
import { type Static, Type } from './type.js'

const Variables = anyObject()

/** A prompt by the id it is registered under, or a document as in the catalog. */
export const PromptOrDocument = Type.Union([Type.String({ minLength: 1 }), anyObject()])

/** A text part that a prompt fills. */
const PromptPart = closedObject(
  {
    prompt: Type.Union([Type.String({ minLength: 1 }), anyObject()], {
      description: 'The id of a prompt, or a document as in the catalog',
    }),
    variables: Type.Optional(anyObject({ description: 'The prompt’s variables' })),
  },
  { title: 'PromptPart', description: 'A text part that a prompt fills' },
)

/** One step of a conversation that the service assembles. Exactly one of `text`, `parts`, `prompt`, `messages`. */
export const ComposeItem = closedObject(
  {
    role: Type.Optional(
      Type.Enum([...ROLES], {
        description:
          'Role of the message. Required with `text` and `parts`; with `prompt` it is `user` unless given',
      }),
    ),
    text: optional.text('Sent unchanged; not a template'),
    parts: Type.Optional(
      Type.Array(Type.Union([PromptPart, AuthoredPart]), {
        minItems: 1,
        description: 'OpenAI content parts, sent as they are, and prompts that become text parts',
      }),
    ),
    prompt: Type.Optional(
      Type.Unsafe<string | JsonObject>({
        ...PromptOrDocument,
        description: 'A prompt; one with `messages` brings its own roles and all its messages',
      }),
    ),
    variables: Type.Optional(
      Type.Unsafe<JsonObject>({
        ...Variables,
        description: "The prompt's variables, on top of the request's own `variables`",
      }),
    ),
    messages: Type.Optional(
      Type.Array(openObject({ role: Type.String({ description: 'Such as `user`' }) }), {
        description: 'Earlier messages of the conversation, sent as they are',
      }),
    ),
    name: optional.text('Of who says it, where several have a role', { minLength: 1 }),
    tool_call_id: optional.text('Of a `tool` message: the call that it answers', { minLength: 1 }),
    tool_calls: Type.Optional(
      Type.Array(openObject({ id: Type.String({ description: 'Of the call' }) }), {
        description: 'Of an `assistant` message: its calls',
      }),
    ),
  },
  { title: 'ComposeItem', description: 'One step of a conversation' },
)
export type ComposeItem = Static<typeof ComposeItem>

/** A conversation assembled from texts, prompts and parts, in order. */
export const ComposeItems = Type.Array(ComposeItem, {
  minItems: 1,
  maxItems: 200,
  description:
    'A conversation assembled from texts, prompts and parts; follows the prompt that the path names',
})
