import type { WireToolCall } from '../../conversation/message.js'
import { ServiceError } from '../../errors.js'
import { type JsonObject, type JsonValue, own, parseObject } from '../../util/json/json.js'
import { repairJson } from '../../util/json/repair-json.js'
import { type CompletionContent, type FinishReason, readCompletion } from '../chat/read-completion.js'
import type { Usage } from '../model.js'

/** What is known of an answer before the model says anything. */
export interface MessageFrame {
  /** Unique, and never made of what a client sent. */
  readonly id: string
  /** The model that was asked for. */
  readonly model: string
  /** Whether the client wants to see what the model thinks. */
  readonly showsThinking: boolean
}

/** A chat completion as a message of Anthropic's interface. @throws ServiceError `llm_bad_response` */
export function writeMessage(
  frame: MessageFrame,
  completion: JsonObject,
  usage: Usage | undefined,
): JsonObject {
  const said = readCompletion(completion)
  const model = own(completion, 'model')
  return {
    ...messageHead(frame, typeof model === 'string' ? model : frame.model),
    content: contentOf(frame, said),
    ...endingOf(said),
    usage: toUsage(usage),
  }
}

/** The fields of a message before its content; the reason to stop is not known yet. */
export function messageHead({ id }: MessageFrame, model: string): JsonObject {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    container: null,
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
  }
}

/** What decides how a message ends. */
export interface MessageEnding {
  readonly finishReason: FinishReason | undefined
  readonly refusal: string | undefined
  readonly toolCalls: { readonly length: number }
}

/** Why a message ends. A server that says `stop` beside calls means them. */
export function endingOf({ finishReason, refusal, toolCalls }: MessageEnding): JsonObject {
  const reason = refusal === undefined ? STOP_REASONS[finishReason ?? 'stop'] : 'refusal'
  return {
    stop_reason: reason === 'end_turn' && toolCalls.length > 0 ? 'tool_use' : reason,
    stop_sequence: null,
    stop_details: reason === 'refusal' ? refusalDetails(refusal) : null,
  }
}

function refusalDetails(refusal: string | undefined): JsonObject {
  return { type: 'refusal', category: null, explanation: refusal ?? null }
}

const STOP_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  other: 'end_turn',
}

/** Token counts as Anthropic has them: what came from the cache is not part of `input_tokens`. */
export function toUsage(usage: Usage | undefined): JsonObject {
  const { inputTokens = 0, cachedTokens = 0, outputTokens = 0, reasoningTokens = 0 } = usage ?? {}
  return {
    input_tokens: Math.max(0, inputTokens - cachedTokens),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
  }
}

/** Clients take a thought for complete when it is signed; nobody checks this one. */
export const SIGNATURE = 'unsigned'

function contentOf({ showsThinking }: MessageFrame, said: CompletionContent): JsonValue {
  const { text, reasoning, refusal, toolCalls } = said
  const blocks: JsonObject[] = []
  if (showsThinking && reasoning !== '') {
    blocks.push({ type: 'thinking', thinking: reasoning, signature: SIGNATURE })
  }
  const shown = text === '' ? (refusal ?? '') : text
  if (shown !== '') blocks.push({ type: 'text', text: shown, citations: null })
  return [...blocks, ...toolCalls.map(toToolUse)]
}

function toToolUse({ id, function: { name, arguments: text } }: WireToolCall): JsonObject {
  return { type: 'tool_use', id, name, input: inputOf(name, text), caller: CALLER }
}

/** The model calls its tools itself. */
export const CALLER = { type: 'direct' } as const

function inputOf(name: string, text: string): JsonObject {
  const input = text.trim() === '' ? {} : (parseObject(text) ?? repairJson(text))
  if (input !== undefined) return input
  throw new ServiceError(
    'llm_bad_response',
    `The model called "${name}" with arguments that are not a JSON object`,
  )
}
