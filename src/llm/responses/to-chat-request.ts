import type { Message } from '../../conversation/message.js'
import { invalidField } from '../../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { listField } from '../../util/json/json-fields.js'
import type { ChatRequest, ModelRequest } from '../model.js'
import { toChatMessages } from './to-chat-messages.js'

/** Fields of the responses interface that chat completions do not know; all others pass through. */
const NOT_FOR_CHAT = new Set([
  'input',
  'instructions',
  'prompt',
  'text',
  'reasoning',
  'max_output_tokens',
  'tools',
  'tool_choice',
  'include',
  'truncation',
  'store',
  'stream_options',
])

/** Asks how likely each token of the answer was. */
const LOGPROBS = 'message.output_text.logprobs'

/** What needs a provider that keeps state; false and null ask for nothing. */
const NEEDS_STATE = ['previous_response_id', 'conversation', 'background']

/**
 * Maps a request for OpenAI's responses interface onto chat completions.
 *
 * @param promptMessages of a registered prompt; they come before the input
 * @throws ServiceError `invalid_request` for what chat completions cannot do
 */
export function toChatRequest(request: ModelRequest, promptMessages: readonly Message[]): ChatRequest {
  for (const name of NEEDS_STATE) assertAbsent(request, name)
  const others = Object.entries(request).filter(
    ([name]) => !NOT_FOR_CHAT.has(name) && !NEEDS_STATE.includes(name),
  )
  const instructions = own(request, 'instructions') ?? undefined
  if (instructions !== undefined && typeof instructions !== 'string')
    throw invalidField('instructions', 'must be a string')
  const system: readonly Message[] =
    instructions === undefined ? [] : [{ role: 'system', content: instructions }]
  return {
    ...Object.fromEntries(others),
    ...renamed(request),
    model: request.model,
    messages: [...system, ...promptMessages, ...toChatMessages(own(request, 'input'))],
  }
}

/** What `include` may name; all but the likelihoods come from tools and providers that chat completions do not have. */
const INCLUDABLE: ReadonlySet<string> = new Set([
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  LOGPROBS,
])

/** @throws ServiceError `invalid_request` */
function included(request: ModelRequest): readonly string[] {
  const names = listField(request, 'include').map(String)
  const unknown = names.find((name) => !INCLUDABLE.has(name))
  if (unknown !== undefined)
    throw invalidField('include', `has ${JSON.stringify(unknown)}; it may have ${[...INCLUDABLE].join(', ')}`)
  return names
}

function renamed(request: ModelRequest): JsonObject {
  const text = own(request, 'text')
  const format = isJsonObject(text) ? toResponseFormat(own(text, 'format')) : undefined
  const verbosity = isJsonObject(text) ? own(text, 'verbosity') : undefined
  const reasoning = own(request, 'reasoning')
  const effort = isJsonObject(reasoning) ? own(reasoning, 'effort') : undefined
  const tools = own(request, 'tools')
  return withoutAbsent({
    max_tokens: own(request, 'max_output_tokens'),
    response_format: format,
    verbosity,
    reasoning_effort: effort,
    tools: Array.isArray(tools) && tools.length > 0 ? tools.map(toChatTool) : undefined,
    tool_choice: toToolChoice(own(request, 'tool_choice')),
    logprobs: included(request).includes(LOGPROBS) ? true : own(request, 'logprobs'),
    // The closing event has the usage, so the upstream must send it.
    stream_options: own(request, 'stream') === true ? { include_usage: true } : undefined,
  })
}

function withoutAbsent(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(
      (entry): entry is [string, JsonValue] => entry[1] !== undefined && entry[1] !== null,
    ),
  )
}

function toResponseFormat(format: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(format) || own(format, 'type') === 'text') return undefined
  if (own(format, 'type') !== 'json_schema') return format
  const { type: _type, ...schema } = format
  return { type: 'json_schema', json_schema: schema }
}

function toChatTool(tool: JsonValue, index: number): JsonValue {
  const param = `tools.${index}`
  if (!isJsonObject(tool)) throw invalidField(param, 'must be an object')
  // A prompt's own tools have the form of chat completions already.
  if (isJsonObject(own(tool, 'function'))) return tool
  const { type, ...definition } = tool
  // Here null means that it takes none; chat completions leave them out.
  if (type === 'function') return { type, function: withoutAbsent(definition) }
  throw invalidField(
    param,
    `has the type ${JSON.stringify(type)}; without a responses interface only functions work`,
  )
}

function toToolChoice(choice: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(choice)) return choice
  if (own(choice, 'type') === 'function') return toNamed(choice)
  if (own(choice, 'type') !== 'allowed_tools') return choice
  const tools = listField(choice, 'tools').map((tool) => (isJsonObject(tool) ? toNamed(tool) : tool))
  return { type: 'allowed_tools', allowed_tools: { mode: own(choice, 'mode') ?? 'auto', tools } }
}

/** A tool by its name, as chat completions choose it. */
function toNamed(tool: JsonObject): JsonObject {
  return { type: 'function', function: { name: own(tool, 'name') ?? '' } }
}

function assertAbsent(request: ModelRequest, name: string): void {
  const value = own(request, name)
  if (value === undefined || value === null || value === false) return
  throw invalidField(name, 'needs an upstream with a responses interface')
}
