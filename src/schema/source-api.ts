import { closedObject } from './any-object.js'
import { optional } from './optional.js'
import { type Static, Type } from './type.js'

/** Answer of `GET /api/prompts/{id}/source`. */
export const SourceAnswer = Type.Object(
  {
    id: Type.String({ description: 'Of the prompt' }),
    revision: Type.String({ description: 'For `If-Match`' }),
    format: Type.Enum(['json', 'yaml'], { description: 'Of `text`' }),
    text: Type.String({ description: 'As its author wrote it' }),
    file: optional.text('Below the directory of the catalog; absent in Redis'),
    can_save: Type.Boolean({ description: 'Whether this key may `PUT` another text here' }),
  },
  {
    title: 'SourceAnswer',
    examples: [
      {
        id: 'hello.greeting',
        revision: '5f0c2a9e41b7d3c8a6e2f190',
        format: 'yaml',
        text: 'userPrompt: Hello {{.variables.name}}\n',
        file: 'templates/hello/greeting.yaml',
        can_save: false,
      },
    ],
  },
)

/** Body of `PUT /api/prompts/{id}/source`. */
export const SourceBody = closedObject(
  { text: Type.String({ minLength: 1, description: 'The whole document, in the format of its file' }) },
  { title: 'SourceRequest', examples: [{ text: 'userPrompt: Good day, {{.variables.name}}\n' }] },
)
export type SourceBody = Static<typeof SourceBody>

/** Answer of `PUT /api/prompts/{id}/source`. */
export const SavedAnswer = Type.Object(
  {
    id: Type.String({ description: 'Of the prompt' }),
    revision: Type.String({ description: 'Of the new text, for `If-Match`' }),
  },
  { title: 'SavedAnswer', examples: [{ id: 'hello.greeting', revision: '0d41be8fd1c9ab02e7745c11' }] },
)
