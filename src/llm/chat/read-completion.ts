import type { Message, WireToolCall } from '../../conversation/message.js'
import { readToolCalls } from '../../conversation/tool-calls.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { isJsonList, jsonObject } from '../../util/json/json-fields.js'
import type { Usage } from '../model.js'
import { readUsage } from '../usage.js'

/** What an answer says, understood once: of its first choice, for most have no other. */
export interface CompletionContent {
  /** As the model said it, unknown fields included, its calls complete; undefined when the answer has no message. */
  readonly message: Message | undefined
  /** Empty when it says nothing, as beside tool calls. */
  readonly text: string
  readonly reasoning: string
  readonly toolCalls: readonly WireToolCall[]
  readonly refusal: string | undefined
  readonly finishReason: FinishReason | undefined
  readonly usage: Usage | undefined
}

/** Reads the body of a chat completion. Never throws: what is missing or misshapen is absent. */
export function readCompletion(body: JsonObject): CompletionContent {
  const [choice = {}] = choicesOf(body)
  const message = own(choice, 'message')
  const said = isJsonObject(message) ? message : {}
  const toolCalls = readToolCalls(said)
  return {
    message: isJsonObject(message) ? toMessage(message, toolCalls) : undefined,
    text: textOf(said),
    reasoning: reasoningIn(said) ?? '',
    toolCalls,
    refusal: textIn(said, 'refusal'),
    finishReason: toFinishReason(own(choice, 'finish_reason')),
    usage: readUsage(own(body, 'usage')),
  }
}

/** The messages of all choices of a chat completion (`n` > 1), as the model said them. */
export function readMessages(body: JsonObject): readonly Message[] {
  return choicesOf(body).flatMap((choice) => {
    const message = own(choice, 'message')
    return isJsonObject(message) ? [toMessage(message, readToolCalls(message))] : []
  })
}

/** What a message says, and what it thinks aloud. */
export function readCompletionMessage(message: Message): Pick<CompletionContent, 'text' | 'reasoning'> {
  const said = jsonObject(message)
  return { text: textOf(said), reasoning: reasoningIn(said) ?? '' }
}

/** What a message or a piece of one thinks aloud: providers have two names for it. */
export function reasoningIn(said: JsonObject): string | undefined {
  return textIn(said, 'reasoning_content') ?? textIn(said, 'reasoning')
}

function toMessage(said: JsonObject, calls: readonly WireToolCall[]): Message {
  return calls.length === 0
    ? { ...said, role: 'assistant' }
    : { ...said, role: 'assistant', tool_calls: calls }
}

function textOf(said: JsonObject): string {
  const content = own(said, 'content')
  if (!Array.isArray(content)) return typeof content === 'string' ? content : ''
  return content.map((part) => (isJsonObject(part) ? (textIn(part, 'text') ?? '') : '')).join('')
}

/** The choices of a chat completion or of one of its streamed chunks; values other than objects are left out. */
export function choicesOf(body: JsonObject): readonly JsonObject[] {
  const choices = own(body, 'choices')
  return Array.isArray(choices) ? choices.filter(isJsonObject) : []
}

/** Whether a body is a chat completion at all: it has a first choice. */
export function hasChoice(body: JsonObject): boolean {
  const choices = own(body, 'choices')
  return Array.isArray(choices) && isJsonObject(choices[0])
}

/** How likely each token of a choice was; undefined where nobody asked. */
export function logprobsIn(choice: JsonObject): readonly JsonValue[] | undefined {
  const logprobs = own(choice, 'logprobs')
  const content = isJsonObject(logprobs) ? own(logprobs, 'content') : undefined
  return isJsonList(content) ? content : undefined
}

/** A value if it is a text that says something. */
export function textIn(object: JsonObject, name: string): string | undefined {
  const value: JsonValue | undefined = own(object, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Why a model stopped; what a provider says beyond these is `other`, its own word beside it in the raw answer. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other'

/** Maps a provider's word for why its model stopped; undefined where it says none. */
export function toFinishReason(word: JsonValue | undefined): FinishReason | undefined {
  switch (word) {
    case 'stop':
    case 'length':
    case 'tool_calls':
    case 'content_filter':
      return word
    case 'function_call':
      return 'tool_calls'
    default:
      return typeof word === 'string' ? 'other' : undefined
  }
}
