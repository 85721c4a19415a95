import { ServiceError } from '../../errors.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json.js'
import type { ChatMessage } from '../model.js'

/**
 * Maps the input of OpenAI's responses interface onto chat messages. Calls that follow each other become one assistant
 * message; reasoning items are left out, for chat completions take none back.
 *
 * @throws ServiceError `invalid_request` naming the item that has no counterpart
 */
export function toChatMessages(input: JsonValue | undefined): ChatMessage[] {
  if (input === undefined || input === null) return []
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  if (!Array.isArray(input)) throw invalidItem('input', 'must be a text or a list')
  const messages: ChatMessage[] = []
  input.forEach((item: JsonValue, index) => {
    if (!isJsonObject(item)) throw invalidItem(`input.${index}`, 'must be an object')
    addItem(messages, item, `input.${index}`)
  })
  return messages
}

function addItem(messages: ChatMessage[], item: JsonObject, param: string): void {
  const type = own(item, 'type') ?? 'message'
  if (type === 'message') messages.push(toMessage(item, param))
  else if (type === 'function_call') addCall(messages, item)
  else if (type === 'function_call_output') messages.push(toToolMessage(item))
  else if (type !== 'reasoning') {
    throw invalidItem(param, `has the type ${JSON.stringify(type)}, which chat completions do not know`)
  }
}

function toMessage(item: JsonObject, param: string): ChatMessage {
  const role = own(item, 'role')
  if (typeof role !== 'string') throw invalidItem(`${param}.role`, 'is missing')
  const content = own(item, 'content') ?? ''
  return { role, content: Array.isArray(content) ? toContent(content, param) : content }
}

function toContent(parts: readonly JsonValue[], param: string): JsonValue {
  const mapped = parts.map((part, index) => toPart(part, `${param}.content.${index}`))
  const [only] = mapped
  const text = mapped.length === 1 && only !== undefined ? own(only, 'text') : undefined
  return typeof text === 'string' ? text : mapped
}

function toPart(part: JsonValue, param: string): JsonObject {
  if (!isJsonObject(part)) throw invalidItem(param, 'must be an object')
  const { type, ...fields } = part
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: own(part, 'text') ?? '' }
    case 'refusal':
      return part
    case 'input_image': {
      const { image_url: url, detail } = fields
      if (typeof url !== 'string') throw invalidItem(param, 'must have an `image_url`')
      return { type: 'image_url', image_url: detail === undefined ? { url } : { url, detail } }
    }
    case 'input_file':
      return { type: 'file', file: fields }
    case 'input_audio':
      return part
    default:
      throw invalidItem(param, `has the type ${JSON.stringify(type)}, which chat completions do not know`)
  }
}

function addCall(messages: ChatMessage[], item: JsonObject): void {
  const call = {
    id: own(item, 'call_id') ?? '',
    type: 'function',
    function: { name: own(item, 'name') ?? '', arguments: own(item, 'arguments') ?? '{}' },
  }
  const last = messages.at(-1)
  const calls = last === undefined ? undefined : own(last, 'tool_calls')
  if (last === undefined || last.role !== 'assistant') {
    messages.push({ role: 'assistant', content: null, tool_calls: [call] })
  } else {
    messages[messages.length - 1] = { ...last, tool_calls: [...(Array.isArray(calls) ? calls : []), call] }
  }
}

function toToolMessage(item: JsonObject): ChatMessage {
  const output = own(item, 'output') ?? ''
  const content = Array.isArray(output) ? toContent(output, 'output') : output
  return { role: 'tool', tool_call_id: own(item, 'call_id') ?? '', content }
}

function invalidItem(param: string, problem: string): ServiceError {
  return new ServiceError('invalid_request', `\`${param}\` ${problem}`, { param })
}
