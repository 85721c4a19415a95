import type { Message } from '../../conversation/message.js'
import { stringifyJson } from '../../util/json/json.js'
import { estimateTokens } from '../../util/text/estimate-tokens.js'

/** What a new message may take beyond its estimate. */
const NEW_MESSAGE_FACTOR = 1.5
/** Room for what no estimate sees: roles, separators, the tools' own format. */
const MARGIN_TOKENS = 1000

/** The conversation's size as the last answer reported it. */
export interface LastSize {
  /** How many messages of the view it covers, its own answer included. */
  readonly messages: number
  /** Prompt and completion together, in tokens. */
  readonly tokens: number
}

/**
 * How many tokens a request will take, without a tokenizer: what the provider last counted, and what came since,
 * rather too much than too little.
 */
export function estimateView(
  view: readonly Message[],
  last: LastSize | undefined,
  maxTokens: number,
): number {
  const known = last === undefined || last.messages > view.length ? { messages: 0, tokens: 0 } : last
  const added = view.slice(known.messages).reduce((sum, message) => sum + estimateMessage(message), 0)
  return Math.ceil(known.tokens + NEW_MESSAGE_FACTOR * added + maxTokens + MARGIN_TOKENS)
}

/** One message's tokens: its text as it is, anything else as JSON. */
function estimateMessage({ content, tool_calls }: Message): number {
  const text = typeof content === 'string' ? content : stringifyJson(content ?? '')
  return estimateTokens(text) + (tool_calls === undefined ? 0 : estimateTokens(stringifyJson(tool_calls)))
}
