import Type, { type Static } from 'typebox'
import { ROLES } from './role.js'

/** The scenarios a prompt or tool is meant for. */
export const SCENARIOS = ['chat', 'completion', 'codereview'] as const

/** One entry of the list form of `parameters`. */
export const ParameterEntry = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    type: Type.Optional(Type.String()),
    default: Type.Optional(Type.Unknown()),
    description: Type.Optional(Type.String()),
    required: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: true },
)
export type ParameterEntry = Static<typeof ParameterEntry>

/** A JSON Schema object (draft-07). Compiled, and so checked, when the document is loaded. */
export const JsonSchema = Type.Object({}, { additionalProperties: true })

/** An OpenAI content part; text and urls in it are templates. */
export const ContentPart = Type.Object({ type: Type.String() }, { additionalProperties: true })

/** A message as authors write it: its content is there, and a template. */
export const StoredMessage = Type.Object(
  {
    role: Type.Enum([...ROLES]),
    content: Type.Union([Type.String(), Type.Array(ContentPart)]),
    name: Type.Optional(Type.String()),
    tool_call_id: Type.Optional(Type.String()),
    tool_calls: Type.Optional(Type.Array(Type.Unknown())),
  },
  { additionalProperties: true },
)

const parameters = Type.Union([Type.Array(ParameterEntry), JsonSchema])

/** The fields that hold what is rendered; a prompt has exactly one of them. */
export const PROMPT_BODIES = ['messages', 'userPrompt', 'prompt'] as const

/** What authors write, in Redis or in a file, before normalisation. */
export const PromptDocument = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1 })),
    description: Type.Optional(Type.String()),
    messages: Type.Optional(Type.Array(StoredMessage, { minItems: 1 })),
    userPrompt: Type.Optional(Type.String()),
    prompt: Type.Optional(Type.String({ description: 'Alias of userPrompt' })),
    supports: Type.Optional(Type.Array(Type.String())),
    parameters: Type.Optional(parameters),
    returns: Type.Optional(parameters),
    engine: Type.Optional(Type.Enum(['go', 'handlebars'])),
    model: Type.Optional(Type.String()),
    options: Type.Optional(Type.Object({}, { additionalProperties: true })),
    tools: Type.Optional(Type.Array(Type.String())),
    version: Type.Optional(Type.String()),
  },
  {
    additionalProperties: true,
    oneOf: PROMPT_BODIES.map((name) => ({ properties: { [name]: true }, required: [name] })),
  },
)
export type PromptDocument = Static<typeof PromptDocument>
