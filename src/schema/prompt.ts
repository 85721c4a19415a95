import { anyObject, looseObject, openObject } from './any-object.js'
import { optional } from './optional.js'
import { ROLES } from './role.js'
import { type Static, Type } from './type.js'

/** The scenarios a prompt or tool is meant for. */
export const SCENARIOS = ['chat', 'completion', 'codereview'] as const

/** One entry of the list form of `parameters`. */
export const ParameterEntry = looseObject({
  name: Type.String({ minLength: 1, description: 'The variable: `.variables.<name>`' }),
  type: optional.text('Of JSON Schema: string, integer, number, boolean, array, object; others mean any'),
  default: optional.any('Value if the request has none; `null` means that the variable is optional'),
  description: optional.text('Human-readable; models read it, too'),
  required: optional.flag('False: it may be missing. Default: required, unless it has a `default`'),
})
export type ParameterEntry = Static<typeof ParameterEntry>

/** A JSON Schema object (draft-07). Compiled, and so checked, when the document is loaded. */
export const JsonSchema = anyObject()

/** An OpenAI content part; text and urls in it are templates. */
export const AuthoredPart = openObject({
  type: Type.String({ description: 'Such as `text` or `image_url`' }),
})

/** A message as authors write it: its content is there, and a template. */
export const AuthoredMessage = looseObject({
  role: Type.Enum([...ROLES]),
  content: Type.Union([Type.String(), Type.Array(AuthoredPart)]),
  name: Type.Optional(Type.String()),
  tool_call_id: Type.Optional(Type.String()),
  tool_calls: Type.Optional(Type.Array(Type.Unknown())),
})

const parameters = (description: string) =>
  Type.Union([Type.Array(ParameterEntry), JsonSchema], { description })

/** The fields that hold what is rendered; a prompt has exactly one of them. */
export const PROMPT_BODIES = ['messages', 'userPrompt', 'prompt'] as const

/** What authors write, in Redis or in a file, before normalisation. */
export const PromptDocument = Type.Object(
  {
    name: optional.text('For people; the id comes from the key or path. Required in extensions', {
      minLength: 1,
    }),
    description: optional.text('What it is for; lists show it'),
    messages: Type.Optional(
      Type.Array(AuthoredMessage, {
        minItems: 1,
        description: 'The prompt as a conversation; texts and urls of its content are templates',
      }),
    ),
    userPrompt: optional.text('The prompt as one text, a template'),
    prompt: optional.text('Alias of userPrompt'),
    supports: optional.texts('Scenarios it is meant for: chat, completion, codereview'),
    parameters: Type.Optional(parameters('Its variables')),
    returns: Type.Optional(parameters('What a model must answer, for structured output')),
    engine: Type.Optional(
      Type.Enum(['go', 'handlebars'], { description: 'The language of its templates; default `go`' }),
    ),
    model: optional.text('The model of chats that name none'),
    options: Type.Optional(
      Type.Object(
        {
          system: optional.orNull(
            Type.String(),
            'System text before a userPrompt; null disables it and LLM_SYSTEM_PROMPT',
          ),
        },
        {
          additionalProperties: true,
          description: 'Parameters of chats, such as `temperature`; those of the request take precedence',
        },
      ),
    ),
    tools: optional.texts('Tools a model may call in chats, by id or function name'),
    version: optional.text('Human-readable; not used by the service'),
    examples: optional.any(
      'Named sets of variables: an object of objects. Tests, the page, `render --example`, `/openapi.json` and readers of the API use them',
    ),
    aliases: optional.any(
      'Ids that it had elsewhere, with our numbers: `[{id: pmpt_68b0, versions: {"3": 7}}]`',
    ),
  },
  {
    additionalProperties: true,
    oneOf: PROMPT_BODIES.map((name) => ({ properties: { [name]: true }, required: [name] })),
  },
)
export type PromptDocument = Static<typeof PromptDocument>
