import { optional } from './optional.js'
import { type Static, Type } from './type.js'

/** Query of `GET /api/search`. */
export const SearchQuery = Type.Object({
  q: optional.text('Words; a text is found if it has all of them. Without words nothing is found', {
    maxLength: 200,
  }),
  limit: optional.integer('Maximum number of results', { minimum: 1, maximum: 100, default: 20 }),
})
export type SearchQuery = Static<typeof SearchQuery> & { readonly limit: number }

/** Answer of `GET /api/search`. */
export const SearchAnswer = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          kind: Type.Enum(['prompt', 'tool', 'environ', 'agent'], { description: 'Of the document' }),
          id: Type.String({ description: 'Of the document' }),
          line: Type.Integer({ description: 'Of the text, from 1' }),
          text: Type.String({ description: 'The line, cut around what was found' }),
        },
        { title: 'SearchResult', description: 'A line of a text' },
      ),
      { description: 'Of prompts first, then of shared variables, tools and agents' },
    ),
    words: Type.Array(Type.String(), {
      description: 'What was looked for: of words that nothing has, those nearest to them',
    }),
    complete: Type.Boolean({ description: 'False where the catalog is too large to be read to its end' }),
  },
  {
    title: 'SearchAnswer',
    examples: [
      {
        items: [{ kind: 'prompt', id: 'review.code_review', line: 3, text: 'Name the file and the line.' }],
        words: ['file', 'line'],
        complete: true,
      },
    ],
  },
)
