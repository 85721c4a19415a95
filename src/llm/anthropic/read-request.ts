import type { Message } from '../../conversation/message.js'
import { ServiceError } from '../../errors.js'
import { copyInto } from '../../util/define.js'
import { invalidField } from '../../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { listField, numberField, objectField, textField } from '../../util/json/json-fields.js'
import { readTools } from './read-tools.js'
import { readTurns } from './read-turns.js'

/** A request of Anthropic's messages interface as a chat request that may still lack its model. */
export type ReadRequest = JsonObject & { readonly messages: readonly Message[] }

/** Fields that mean something at Anthropic only, or have another name here; all others go to the model unchanged. */
const NOT_FOR_CHAT = new Set([
  'system',
  'messages',
  'metadata',
  'stop_sequences',
  'thinking',
  'tools',
  'tool_choice',
  'service_tier',
  'output_config',
  'output_format',
  'context_management',
  'container',
  'mcp_servers',
  'inference_geo',
  'speed',
  'cache_control',
  'betas',
  'diagnostics',
  'fallbacks',
  'user_profile_id',
  'thread',
])

/**
 * Reads a request of Anthropic's messages interface. Hints for Anthropic's cache are left out.
 *
 * @throws ServiceError `invalid_request` naming what chat completions cannot do
 */
export function readMessagesRequest(body: JsonObject): ReadRequest {
  if (listField(body, 'mcp_servers').length > 0) {
    throw invalidField('mcp_servers', 'is not supported: connect MCP servers in the configuration')
  }
  const container = own(body, 'container')
  if (container !== undefined && container !== null) throw invalidField('container', 'is not supported')
  if (isJsonObject(own(body, 'thread'))) throw noThreads()
  const request: Record<string, JsonValue> = {}
  copyInto(request, body, NOT_FOR_CHAT)
  copyInto(request, translated(body))
  copyInto(request, readTools(body))
  return { ...request, messages: readTurns(own(body, 'system'), own(body, 'messages')) }
}

/** Nothing is kept between requests. By these details Anthropic's own client knows that it has to send all messages. */
function noThreads(): ServiceError {
  return new ServiceError('invalid_request', '`thread` is not supported: send all messages', {
    param: 'thread',
    details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
  })
}

/** Whether the client wants to see what the model thinks. */
export function showsThinking(body: JsonObject): boolean {
  const thinking = objectField(body, 'thinking')
  const type = own(thinking, 'type')
  return (type === 'enabled' || type === 'adaptive') && own(thinking, 'display') !== 'omitted'
}

function translated(body: JsonObject): JsonObject {
  const stop = listField(body, 'stop_sequences')
  const user = textField(objectField(body, 'metadata'), 'user_id')
  const effort = effortOf(body)
  const format = formatOf(body)
  return {
    ...(stop.length > 0 && { stop }),
    ...(user !== undefined && { user }),
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(format !== undefined && { response_format: format }),
    // The last events have the usage, so the upstream must.
    ...(own(body, 'stream') === true && { stream_options: { include_usage: true } }),
  }
}

/** The smallest budgets of thinking tokens that ask for an effort. */
const BUDGETS = [
  [16_384, 'high'],
  [4_096, 'medium'],
] as const

/** The words of chat completions for how much a model thinks. */
const EFFORTS: ReadonlyMap<string, string> = new Map([
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'high'],
  ['max', 'high'],
])

function effortOf(body: JsonObject): string | undefined {
  const said = textField(objectField(body, 'output_config'), 'effort')
  if (said !== undefined) return EFFORTS.get(said)
  const thinking = objectField(body, 'thinking')
  if (own(thinking, 'type') !== 'enabled') return undefined
  const budget = numberField(thinking, 'budget_tokens') ?? 0
  return BUDGETS.find(([least]) => budget >= least)?.[1] ?? 'low'
}

function formatOf(body: JsonObject): JsonObject | undefined {
  const format = own(objectField(body, 'output_config'), 'format') ?? own(body, 'output_format')
  if (!isJsonObject(format) || own(format, 'type') !== 'json_schema') return undefined
  const schema = own(format, 'schema') ?? {}
  return { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } }
}
