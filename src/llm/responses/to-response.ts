import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json.js'
import type { ModelRequest, Usage } from '../model.js'

/** What a response object repeats of its request, and who it is. */
export interface ResponseFrame {
  readonly request: ModelRequest
  /** Beginning of every id in the response; unique per request. */
  readonly id: string
  /** Unix seconds. */
  readonly createdAt: number
}

/** Maps a chat completion onto a response object. */
export function toResponse(
  frame: ResponseFrame,
  completion: JsonObject,
  usage: Usage | undefined,
): JsonObject {
  const choices = own(completion, 'choices')
  const [first] = Array.isArray(choices) ? choices : []
  const choice = isJsonObject(first) ? first : {}
  const message = own(choice, 'message')
  const model = own(completion, 'model')
  return finishedResponse(frame, {
    model: typeof model === 'string' ? model : frame.request.model,
    output: isJsonObject(message) ? toOutput(frame, message) : [],
    finishReason: own(choice, 'finish_reason') ?? null,
    usage: own(completion, 'usage'),
    counted: usage,
  })
}

export interface Ending {
  readonly model: string
  readonly output: readonly JsonObject[]
  readonly finishReason: JsonValue
  /** The upstream's usage object, for its details. */
  readonly usage: JsonValue | undefined
  readonly counted: Usage | undefined
}

/** A response object that is complete, or cut short by the reason for which the model stopped. */
export function finishedResponse(frame: ResponseFrame, ending: Ending): JsonObject {
  const reason = INCOMPLETE[String(ending.finishReason)]
  return {
    ...responseObject(frame, ending.model, reason === undefined ? 'completed' : 'incomplete'),
    incomplete_details: reason === undefined ? null : { reason },
    output: ending.output,
    usage: toUsage(ending.counted, ending.usage),
  }
}

const INCOMPLETE: Readonly<Record<string, string | undefined>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

/** The parts of a response object that are known before the model has said anything. */
export function responseObject(frame: ResponseFrame, model: string, status: string): JsonObject {
  const { request } = frame
  const field = (name: string, otherwise: JsonValue) => own(request, name) ?? otherwise
  return {
    id: `resp_${frame.id}`,
    object: 'response',
    created_at: frame.createdAt,
    status,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: field('instructions', null),
    max_output_tokens: field('max_output_tokens', null),
    model,
    output: [],
    parallel_tool_calls: field('parallel_tool_calls', true),
    previous_response_id: null,
    prompt: field('prompt', null),
    reasoning: field('reasoning', { effort: null, summary: null }),
    store: false,
    temperature: field('temperature', null),
    text: field('text', { format: { type: 'text' } }),
    tool_choice: field('tool_choice', 'auto'),
    tools: field('tools', []),
    top_p: field('top_p', null),
    truncation: 'disabled',
    usage: null,
    user: field('user', null),
    metadata: field('metadata', {}),
  }
}

function toOutput(frame: ResponseFrame, message: JsonObject): JsonObject[] {
  const items: JsonObject[] = []
  const reasoning = own(message, 'reasoning_content')
  if (typeof reasoning === 'string' && reasoning !== '') {
    items.push(reasoningItem(`rs_${frame.id}`, reasoning))
  }
  const content = own(message, 'content')
  const refusal = own(message, 'refusal')
  if (typeof refusal === 'string') items.push(messageItem(`msg_${frame.id}`, [{ type: 'refusal', refusal }]))
  else if (typeof content === 'string' && content !== '')
    items.push(messageItem(`msg_${frame.id}`, [textContent(content)]))
  const calls = own(message, 'tool_calls')
  if (Array.isArray(calls)) {
    calls.filter(isJsonObject).forEach((call, index) => {
      items.push(callItem(`fc_${frame.id}_${index}`, call))
    })
  }
  return items
}

/** A message of the assistant. */
export function messageItem(id: string, content: readonly JsonObject[], status = 'completed'): JsonObject {
  return { id, type: 'message', status, role: 'assistant', content }
}

/** The text of a message. */
export function textContent(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

/** What the model thought. */
export function reasoningItem(id: string, text: string): JsonObject {
  return { id, type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] }
}

/** A call of a function, from a chat completion's tool call. */
export function callItem(id: string, call: JsonObject, status = 'completed'): JsonObject {
  const called = own(call, 'function')
  const definition = isJsonObject(called) ? called : {}
  return {
    id,
    type: 'function_call',
    status,
    call_id: own(call, 'id') ?? id,
    name: own(definition, 'name') ?? '',
    arguments: own(definition, 'arguments') ?? '',
  }
}

function toUsage(counted: Usage | undefined, upstream: JsonValue | undefined): JsonObject | null {
  if (counted === undefined) return null
  const details = isJsonObject(upstream) ? own(upstream, 'completion_tokens_details') : undefined
  const reasoning = isJsonObject(details) ? own(details, 'reasoning_tokens') : undefined
  return {
    input_tokens: counted.inputTokens,
    input_tokens_details: { cached_tokens: counted.cachedTokens },
    output_tokens: counted.outputTokens,
    output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
    total_tokens: counted.inputTokens + counted.outputTokens,
  }
}
