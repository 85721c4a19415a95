import { anyObject, looseObject, PASSED_ON } from './any-object.js'
import { optional } from './optional.js'
import { type Static, Type } from './type.js'

/** Path of a prompt for clients of Langfuse. */
export const LangfusePromptParams = Type.Object({
  name: Type.String({
    minLength: 1,
    description: 'The prompt’s id',
    examples: ['partials.house_style'],
  }),
})
export type LangfusePromptParams = Static<typeof LangfusePromptParams>

/** Query of a prompt for clients of Langfuse. */
export const LangfusePromptQuery = Type.Object({
  version: optional.text('A version’s number'),
  label: optional.text(
    'A label; `latest` is the newest version. Default: `production` where the prompt has it',
  ),
})
export type LangfusePromptQuery = Static<typeof LangfusePromptQuery>

/** A prompt as clients of Langfuse read it. */
export const LangfusePrompt = Type.Object(
  {
    name: Type.String({ description: 'The prompt’s id' }),
    version: Type.Integer({ description: '0 for a draft' }),
    type: Type.Enum(['text', 'chat'], { description: 'Whether `prompt` is a text or messages' }),
    prompt: Type.Union([Type.String(), Type.Array(anyObject())], {
      description: 'Text or messages, with `{{name}}` for variables',
    }),
    config: anyObject({ description: 'Model and options of the prompt' }),
    labels: Type.Array(Type.String(), { description: 'Labels that serve the version' }),
    tags: Type.Array(Type.String(), { description: 'Always empty' }),
  },
  {
    additionalProperties: true,
    title: 'LangfusePrompt',
    description: 'A prompt as clients of Langfuse read it',
    examples: [
      {
        name: 'a.b',
        version: 1,
        type: 'text',
        prompt: 'Hello {{name}}',
        config: {},
        labels: ['production', 'latest'],
        tags: [],
      },
    ],
  },
)
export type LangfusePrompt = Static<typeof LangfusePrompt>

/** Body of the paths for clients of Portkey: variables, and parameters for the model. */
export const PortkeyBody = Type.Object(
  {
    variables: Type.Optional(anyObject({ description: 'Of the prompt' })),
    stream: optional.flag('Answer as a stream of events'),
  },
  { title: 'PortkeyBody', ...PASSED_ON, examples: [{ variables: { diff: '+ hello' } }] },
)

/** What a prompt sends to its model, for clients of Portkey. */
export const PortkeyRendered = Type.Object(
  {
    success: Type.Boolean({ description: 'Always true' }),
    data: looseObject(
      {
        messages: Type.Array(anyObject(), { description: 'Rendered' }),
        model: optional.text('The model'),
      },
      { description: 'The request of the model' },
    ),
  },
  {
    title: 'PortkeyRendered',
    description: 'What a prompt sends to its model',
    examples: [{ success: true, data: { model: 'echo', messages: [{ role: 'user', content: 'Hello' }] } }],
  },
)
