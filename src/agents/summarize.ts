import { type Message, messageText } from '../conversation/message.js'
import { toGroups } from '../conversation/message-groups.js'
import { ServiceError } from '../errors.js'
import { readCompletion } from '../llm/chat/read-completion.js'
import type { ChatRequest } from '../llm/model.js'
import { isContextOverflow } from '../llm/model-error.js'
import type { CallUsage } from '../llm/usage.js'
import type { CallContext } from '../util/call-context.js'
import { type JsonObject, stringifyJson } from '../util/json/json.js'
import { estimateTokens } from '../util/text/estimate-tokens.js'
import type { HookedModel } from './hooked-model.js'

export interface SummaryOrder {
  readonly model: HookedModel
  /** The model's name and the agent's parameters. What only fits answers or tool calls is left out of the request. */
  readonly request: JsonObject & { readonly model: string }
  /** The conversation, oldest message first. */
  readonly messages: readonly Message[]
  /** Asks for the summary; sent behind each piece. */
  readonly prompt: string
  /** Tokens that one request may have. A provider that refuses a piece gets smaller ones. */
  readonly limit: number
  readonly call: CallContext
}

export interface Summary {
  /** Undefined if the model refused every piece, or answered nothing. */
  readonly text: string | undefined
  /** One entry for each call of the model. */
  readonly spent: readonly CallUsage[]
}

/** A refused piece is asked for again in smaller ones, down to this part of the limit. */
const SMALLEST_SHARE = 1 / 16
/** What the prompt, the roles and an answer take of a request, in tokens; of a small limit, half. */
const OVERHEAD_TOKENS = 1_000
/** What no script has less of. */
const CHARACTERS_PER_TOKEN_AT_LEAST = 1
/** Parameters that belong to answers and calls; providers refuse some of them where there are no tools. */
const OF_ANSWERS = [
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'stream',
  'stream_options',
]

/**
 * Summarizes a conversation, in as many requests as its size needs: each has the summary so far and the next piece. A
 * conversation that is too long for the model can so be summarized by the same model.
 *
 * @throws ServiceError as the model does, except for refusals of the request itself
 */
export async function summarize(order: SummaryOrder): Promise<Summary> {
  const spent: CallUsage[] = []
  let rest = toGroups(order.messages)
  let text: string | undefined
  let share = 1
  while (rest.length > 0) {
    const limit = room(order, text) * share
    const piece = takePiece(rest, limit)
    const answer = await askFor(order, text, piece.messages)
    if (answer === 'refused') {
      share /= 2
      if (share < SMALLEST_SHARE) return { text: undefined, spent }
      continue
    }
    spent.push(answer.spent)
    if (answer.text === '') return { text: undefined, spent }
    text = answer.text
    rest = rest.slice(piece.groups)
  }
  return { text, spent }
}

/** Tokens that a piece may have beside the prompt and the summary so far. */
function room({ limit, prompt }: SummaryOrder, summary = ''): number {
  const taken = estimateTokens(prompt) + estimateTokens(summary) + OVERHEAD_TOKENS
  return Math.max(limit - taken, limit / 2)
}

async function askFor(
  { model, request, prompt, call }: SummaryOrder,
  summary: string | undefined,
  piece: readonly Message[],
): Promise<{ readonly text: string; readonly spent: CallUsage } | 'refused'> {
  const before = summary === undefined ? [] : [summaryMessage(summary)]
  const messages = [...before, ...piece, { role: 'user' as const, content: prompt }]
  try {
    const { body, usage, cost } = await model.complete(toSummaryRequest(request, messages), call)
    return { text: readCompletion(body).text.trim(), spent: { usage, cost } }
  } catch (error) {
    if (isRefusal(error)) return 'refused'
    throw error
  }
}

/** Whether the model refused this request, which says nothing of a smaller one. */
function isRefusal(error: unknown): boolean {
  return isContextOverflow(error) || (error instanceof ServiceError && error.code === 'llm_rejected')
}

/** The message that replaces the beginning of a conversation. */
export function summaryMessage(text: string): Message {
  return { role: 'user', content: `<summary of the conversation so far>\n${text}\n</summary>` }
}

function toSummaryRequest(request: SummaryOrder['request'], messages: readonly Message[]): ChatRequest {
  const parameters = Object.entries(request).filter(([name]) => !OF_ANSWERS.includes(name))
  return { ...Object.fromEntries(parameters), model: request.model, messages }
}

/** As many groups as fit, at least one: a group that does not fit by itself is clipped. */
function takePiece(
  groups: readonly (readonly Message[])[],
  limit: number,
): { readonly messages: readonly Message[]; readonly groups: number } {
  const messages: Message[] = []
  let taken = 0
  let count = 0
  for (const group of groups) {
    const tokens = group.reduce((sum, message) => sum + tokensOf(message), 0)
    if (count > 0 && taken + tokens > limit) break
    messages.push(...(tokens > limit ? clippedGroup(group, limit) : group))
    taken += tokens
    count += 1
  }
  return { messages, groups: count }
}

function tokensOf(message: Message): number {
  return estimateTokens(stringifyJson(message))
}

/** Shortens every message of a group to its start and end, so that all of them together fit the limit in tokens. */
function clippedGroup(group: readonly Message[], limit: number): readonly Message[] {
  const characters = Math.floor((limit * CHARACTERS_PER_TOKEN_AT_LEAST) / group.length)
  return group.map((message) => ({
    role: 'user',
    content: clippedMiddle(`${message.role}: ${wordsOf(message)}`, characters),
  }))
}

/** What a message says, calls included: clipped, they would be no valid calls. */
function wordsOf(message: Message): string {
  const calls = message.tool_calls === undefined ? '' : stringifyJson(message.tool_calls)
  return messageText(message) + calls
}

function clippedMiddle(text: string, characters: number): string {
  if (text.length <= characters) return text
  const half = Math.max(1, Math.floor(characters / 2))
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`
}
