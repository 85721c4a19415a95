import { ApiError } from '../../api/api-error.js'
import type { ServerEvent } from '../../api/server-events.js'
import type { ErrorBody } from '../../api/shapes.js'
import { add, type Conversation } from './conversation.js'

/** A part of a streamed answer, as OpenAI's chunks have it. */
interface Chunk {
  readonly choices?: readonly {
    readonly delta?: {
      readonly content?: string | null
      readonly reasoning_content?: string | null
      readonly tool_calls?: readonly ToolCallDelta[]
    }
  }[]
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null
}

interface ToolCallDelta {
  readonly index: number
  readonly function?: { readonly name?: string; readonly arguments?: string }
}

/** What is known of an answer once it is whole. */
export interface ChatOutcome {
  readonly usage?: ChatUsage | undefined
  /** From the question to the first piece of the answer, in milliseconds. */
  readonly firstMs?: number | undefined
  /** In the currency of the configured prices, where the model has one. */
  readonly cost?: number | undefined
}

/** What an answer cost in tokens. */
export interface ChatUsage {
  readonly input: number
  readonly output: number
}

/** Reads a streamed chat into a conversation. @throws ApiError for an error inside the stream */
export async function runChat(
  events: AsyncIterable<ServerEvent>,
  conversation: Conversation,
  elapsedMs: () => number,
): Promise<ChatOutcome> {
  let usage: ChatUsage | undefined
  let firstMs: number | undefined
  let cost: number | undefined
  const calls = new Map<number, { name: string; text: string }>()
  for await (const { event, data } of events) {
    if (event === 'error') throw errorIn(data)
    if (event === 'server-timing') {
      usage ??= usageIn(data)
      cost = costIn(data)
    }
    if (event !== 'message') continue
    if (data === '[DONE]') break
    const chunk: Chunk = JSON.parse(data)
    const delta = chunk.choices?.[0]?.delta
    if (delta?.content || delta?.reasoning_content) firstMs ??= elapsedMs()
    if (delta?.reasoning_content) add(conversation, { kind: 'thought', text: delta.reasoning_content })
    if (delta?.content) add(conversation, { kind: 'said', role: 'assistant', text: delta.content })
    for (const call of delta?.tool_calls ?? []) gather(calls, call)
    if (chunk.usage) usage = { input: chunk.usage.prompt_tokens, output: chunk.usage.completion_tokens }
  }
  for (const [index, { name, text }] of calls)
    add(conversation, { kind: 'activity', activity: { id: `${index}`, name, arguments: text, state: 'ok' } })
  return { usage, firstMs, cost }
}

/** What the service counted, for streams whose model was not asked to say it. */
function usageIn(timing: string): ChatUsage | undefined {
  const [, input, output] = /tokens;desc="(\d+)\+(\d+)"/.exec(timing) ?? []
  return input === undefined ? undefined : { input: Number(input), output: Number(output) }
}

function costIn(timing: string): number | undefined {
  const cost = /cost;desc="([\d.]+)"/.exec(timing)?.[1]
  return cost === undefined ? undefined : Number(cost)
}

function gather(
  calls: Map<number, { name: string; text: string }>,
  { index, function: call }: ToolCallDelta,
): void {
  const known = calls.get(index) ?? { name: '', text: '' }
  calls.set(index, { name: known.name + (call?.name ?? ''), text: known.text + (call?.arguments ?? '') })
}

function errorIn(data: string): ApiError {
  const body: ErrorBody = JSON.parse(data)
  return new ApiError(200, body.error)
}
