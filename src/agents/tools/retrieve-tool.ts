import { localTool } from '../../tools/local-tool.js'
import type { Tool } from '../../tools/toolbox.js'
import { own } from '../../util/json/json.js'
import type { MemoryRetriever } from '../memory/memory-retriever.js'

/** The tool's name. */
export const RETRIEVE = 'retrieve'

/** Lets a model look into the pages of a knowledge store. */
export function retrieveTool(retriever: MemoryRetriever): Tool {
  return localTool({
    name: RETRIEVE,
    description:
      'Searches the knowledge base and answers the pages that fit best, each with a score from 0 to 1.',
    readOnly: true,
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, description: 'What to look for, in a few words' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    async execute(args) {
      const { items } = await retriever.search(String(own(args, 'query')))
      return items.map(({ page: { title, content, tags }, score }) => ({
        title,
        content,
        tags,
        score: Math.round(score * 100) / 100,
      }))
    },
  })
}
