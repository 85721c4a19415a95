import { TagEscape } from './escape-tags.js'
import type { CallResult } from './protocol.js'

const tagEscape = new TagEscape(['tool_response'])

/** Results as the templates of Qwen and GLM write them, one after the other. A result cannot end its own tag. */
export function toolResponses(results: readonly CallResult[]): string {
  return results
    .map(({ content }) => `<tool_response>\n${tagEscape.escape(content)}\n</tool_response>`)
    .join('\n')
}

/** Results as text, each under the name of its tool if there are several. */
export function namedResults(results: readonly CallResult[]): string {
  if (results.length === 1) return results[0]?.content ?? ''
  return results
    .map(
      ({ call: { name, server }, content }) => `Result of ${server ? `${server}/` : ''}${name}:\n${content}`,
    )
    .join('\n\n')
}
