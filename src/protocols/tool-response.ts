import type { CallResult } from './protocol.js'

/**
 * What would end the frame of a result or begin another, and the control tokens by which models distinguish speakers
 * (`<|im_start|>`, `<｜User｜>`, `<start_of_turn>`), which a server may read as such in any text.
 */
const SPEAKERS =
  /<(\\*)(?=\/?tool_response(?:[\s>=/]|$)|[|｜][^\s<>|｜]{1,64}[|｜]>|\/?(?:start|end)_of_turn>)/gi

/** What a tool's name has no need of, and a frame could be ended with. */
const NOT_IN_NAMES = /[^\p{L}\p{N}_./:-]/gu

/** Results as the templates of Qwen and GLM write them, one after the other. */
export function toolResponses(results: readonly CallResult[]): string {
  return results.map(({ content }) => toolResponse(content)).join('\n')
}

/** Results in the same frame, each with the name of its tool, for families whose own form needs a role that APIs do not have. */
export function namedResponses(results: readonly CallResult[]): string {
  return results
    .map(({ call: { name, server }, content }) =>
      toolResponse(content, server === undefined ? name : `${server}/${name}`),
    )
    .join('\n')
}

/**
 * One result in its frame. It is sent as a message of the user, so only the frame distinguishes the tool's text from the
 * user's: the text gets a backslash behind each `<` that could end the frame or begin another speaker's words.
 */
export function toolResponse(content: string, tool?: string): string {
  const name = tool === undefined ? '' : ` name="${tool.replaceAll(NOT_IN_NAMES, '_')}"`
  return `<tool_response${name}>\n${content.replace(SPEAKERS, '<$1\\')}\n</tool_response>`
}
