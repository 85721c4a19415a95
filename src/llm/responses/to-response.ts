import { type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import {
  type CompletionContent,
  choicesOf,
  type FinishReason,
  logprobsIn,
  readCompletion,
} from '../chat/read-completion.js'
import type { ModelRequest, Usage } from '../model.js'

/** What a response object repeats of its request, and who it is. */
export interface ResponseFrame {
  readonly request: ModelRequest
  /** Beginning of every id in the response; unique per request. */
  readonly id: string
  /** Unix seconds. */
  readonly createdAt: number
  /** What the response says of its being kept; undefined for one that is not. */
  readonly kept?: KeptFacts | undefined
}

/** What a response says of where it is kept and what it follows. */
export interface KeptFacts {
  readonly store: boolean
  readonly background?: boolean | undefined
  /** With their prefixes. */
  readonly previousResponse?: string | undefined
  readonly conversation?: string | undefined
}

/** Maps a chat completion onto a response object. */
export function toResponse(
  frame: ResponseFrame,
  completion: JsonObject,
  usage: Usage | undefined,
): JsonObject {
  const said = readCompletion(completion)
  const [choice = {}] = choicesOf(completion)
  const model = own(completion, 'model')
  return finishedResponse(frame, {
    model: typeof model === 'string' ? model : frame.request.model,
    output: toOutput(frame, said, logprobsIn(choice)),
    finishReason: said.finishReason,
    usage,
  })
}

export interface Ending {
  readonly model: string
  readonly output: readonly JsonObject[]
  readonly finishReason: FinishReason | undefined
  readonly usage: Usage | undefined
}

/** A response object that is complete, or cut short by the reason for which the model stopped. */
export function finishedResponse(frame: ResponseFrame, ending: Ending): JsonObject {
  const reason = ending.finishReason && INCOMPLETE[ending.finishReason]
  return {
    ...responseObject(frame, ending.model, reason === undefined ? 'completed' : 'incomplete'),
    incomplete_details: reason === undefined ? null : { reason },
    output: ending.output,
    usage: toUsage(ending.usage),
  }
}

const INCOMPLETE: Readonly<Partial<Record<FinishReason, string>>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

/** The parts of a response object that are known before the model has said anything. */
export function responseObject(frame: ResponseFrame, model: string, status: string): JsonObject {
  const { request, kept } = frame
  const field = (name: string, otherwise: JsonValue) => own(request, name) ?? otherwise
  return {
    id: `resp_${frame.id}`,
    object: 'response',
    created_at: frame.createdAt,
    status,
    background: kept?.background === true,
    error: null,
    incomplete_details: null,
    instructions: field('instructions', null),
    max_output_tokens: field('max_output_tokens', null),
    model,
    output: [],
    parallel_tool_calls: field('parallel_tool_calls', true),
    previous_response_id: kept?.previousResponse ?? null,
    ...(kept?.conversation !== undefined && { conversation: { id: kept.conversation } }),
    prompt: field('prompt', null),
    reasoning: field('reasoning', { effort: null, summary: null }),
    store: kept?.store === true,
    temperature: field('temperature', null),
    text: field('text', { format: { type: 'text' } }),
    tool_choice: field('tool_choice', 'auto'),
    tools: field('tools', []),
    top_p: field('top_p', null),
    truncation: field('truncation', 'disabled'),
    usage: null,
    user: field('user', null),
    metadata: field('metadata', {}),
  }
}

function toOutput(
  frame: ResponseFrame,
  said: CompletionContent,
  logprobs: readonly JsonValue[] | undefined,
): JsonObject[] {
  const { text, reasoning, refusal, toolCalls } = said
  const items: JsonObject[] = []
  const nextId = (prefix: string) => itemIdOf(frame, prefix, items.length)
  if (reasoning !== '') items.push(reasoningItem(nextId('rs'), reasoning))
  if (refusal !== undefined) items.push(messageItem(nextId('msg'), [{ type: 'refusal', refusal }]))
  else if (text !== '') items.push(messageItem(nextId('msg'), [textContent(text, logprobs)]))
  for (const call of toolCalls) items.push(callItem(nextId('fc'), { callId: call.id, ...call.function }))
  return items
}

/** The id of an item of the output; `prefix` is that of its kind. */
export function itemIdOf({ id }: ResponseFrame, prefix: string, index: number): string {
  return `${prefix}_${id}_${index}`
}

/** A message of the assistant. */
export function messageItem(id: string, content: readonly JsonObject[], status = 'completed'): JsonObject {
  return { id, type: 'message', status, role: 'assistant', content }
}

/** The text of a message. */
export function textContent(text: string, logprobs: readonly JsonValue[] = []): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs }
}

/** What the model thought. */
export function reasoningItem(id: string, text: string): JsonObject {
  return { id, type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] }
}

/** What an item says of a function's call. */
export interface CalledFunction {
  readonly callId: string
  readonly name: string
  readonly arguments: string
}

/** A call of a function. */
export function callItem(id: string, call: CalledFunction, status = 'completed'): JsonObject {
  const { callId, name, arguments: args } = call
  return { id, type: 'function_call', status, call_id: callId, name, arguments: args }
}

function toUsage(usage: Usage | undefined): JsonObject | null {
  if (usage === undefined) return null
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens } = usage
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  }
}
