import type { Content, ContentPart, Message, WireToolCall } from '../../conversation/message.js'
import { isRole, ROLES } from '../../schema/role.js'
import { invalidField } from '../../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'

/**
 * Maps the input of OpenAI's responses interface onto chat messages. Calls that follow each other become one assistant
 * message; reasoning items are left out, for chat completions take none back.
 *
 * @throws ServiceError `invalid_request` naming the item that has no counterpart
 */
export function toChatMessages(input: JsonValue | undefined): Message[] {
  if (input === undefined || input === null) return []
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  if (!Array.isArray(input)) throw invalidField('input', 'must be a text or a list')
  const messages: Message[] = []
  input.forEach((item: JsonValue, index) => {
    if (!isJsonObject(item)) throw invalidField(`input.${index}`, 'must be an object')
    addItem(messages, item, `input.${index}`)
  })
  return messages
}

function addItem(messages: Message[], item: JsonObject, param: string): void {
  const type = own(item, 'type') ?? 'message'
  if (type === 'message') messages.push(toMessage(item, param))
  else if (type === 'function_call') addCall(messages, item)
  else if (type === 'function_call_output') messages.push(toToolMessage(item))
  else if (type !== 'reasoning') {
    throw invalidField(param, `has the type ${JSON.stringify(type)}, which chat completions do not know`)
  }
}

function toMessage(item: JsonObject, param: string): Message {
  const role = own(item, 'role')
  if (role === undefined) throw invalidField(`${param}.role`, 'is missing')
  if (!isRole(role)) throw invalidField(`${param}.role`, `must be one of ${ROLES.join(', ')}`)
  return { role, content: toContent(own(item, 'content') ?? '', param) }
}

function toContent(content: JsonValue, param: string): Content {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw invalidField(`${param}.content`, 'must be a text or a list')
  const mapped = content.map((part, index) => toPart(part, `${param}.content.${index}`))
  const [only] = mapped
  const text = mapped.length === 1 && only !== undefined ? own(only, 'text') : undefined
  // Parts are passed on as they were written: the upstream decides whether they are complete.
  return typeof text === 'string' ? text : (mapped as ContentPart[])
}

function toPart(part: JsonValue, param: string): JsonObject {
  if (!isJsonObject(part)) throw invalidField(param, 'must be an object')
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
      if (typeof url !== 'string') throw invalidField(param, 'must have an `image_url`')
      return { type: 'image_url', image_url: detail === undefined ? { url } : { url, detail } }
    }
    case 'input_file':
      return { type: 'file', file: fields }
    case 'input_audio':
      return part
    default:
      throw invalidField(param, `has the type ${JSON.stringify(type)}, which chat completions do not know`)
  }
}

function addCall(messages: Message[], item: JsonObject): void {
  const called = { name: textOf(item, 'name'), arguments: textOf(item, 'arguments', '{}') }
  const call: WireToolCall = { id: textOf(item, 'call_id'), type: 'function', function: called }
  const last = messages.at(-1)
  if (last === undefined || last.role !== 'assistant') {
    messages.push({ role: 'assistant', content: null, tool_calls: [call] })
  } else {
    messages[messages.length - 1] = { ...last, tool_calls: [...(last.tool_calls ?? []), call] }
  }
}

function textOf(item: JsonObject, name: string, otherwise = ''): string {
  const value = own(item, name)
  return typeof value === 'string' ? value : otherwise
}

function toToolMessage(item: JsonObject): Message {
  const content = toContent(own(item, 'output') ?? '', 'output')
  return { role: 'tool', tool_call_id: textOf(item, 'call_id'), content }
}
