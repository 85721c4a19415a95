import type { ContentPart, Message, WireToolCall } from '../../conversation/message.js'
import { invalidField } from '../../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, type JsonValue, own, stringifyJson } from '../../util/json/json.js'
import { isJsonList, textField } from '../../util/json/json-fields.js'
import { type Block, readBlocks, readShownBlock, textsOfParts, unsupportedBlock } from './read-blocks.js'

/** Between the blocks of a system text, and of a tool's result. */
const PARAGRAPH = '\n\n'

/**
 * Reads the conversation of Anthropic's messages interface as chat messages. A `tool_result` becomes a message of its
 * own, before what its user says beside it; thinking is sent back as `reasoning_content`, whatever its signature.
 *
 * @param system text, or a list of text blocks
 * @throws ServiceError `invalid_request` naming what has no counterpart
 */
export function readTurns(system: JsonValue | undefined, turns: JsonValue | undefined): readonly Message[] {
  if (turns !== undefined && !isJsonList(turns)) throw invalidField('messages', 'must be a list')
  const said = (turns ?? []).flatMap((turn, index) => {
    if (!isJsonObject(turn)) throw invalidField(`messages.${index}`, 'must be an object')
    return readTurn(turn, `messages.${index}`)
  })
  return [...systemMessages(system, 'system'), ...said]
}

function readTurn(turn: JsonObject, path: string): readonly Message[] {
  const role = own(turn, 'role')
  const content = own(turn, 'content')
  switch (role) {
    case 'user':
      return userMessages(readBlocks(content, `${path}.content`))
    case 'assistant':
      return [assistantMessage(readBlocks(content, `${path}.content`))]
    case 'system':
      return systemMessages(content, `${path}.content`)
    default:
      throw invalidField(`${path}.role`, 'must be "user" or "assistant"')
  }
}

function systemMessages(content: JsonValue | undefined, path: string): readonly Message[] {
  const text = readBlocks(content, path).map(textOf).join(PARAGRAPH)
  return text === '' ? [] : [{ role: 'system', content: text }]
}

function textOf(block: Block): string {
  if (block.type !== 'text') throw unsupportedBlock(block)
  return textField(block.fields, 'text') ?? ''
}

function userMessages(blocks: readonly Block[]): readonly Message[] {
  const results: Message[] = []
  const parts: ContentPart[] = []
  for (const block of blocks) {
    if (block.type !== 'tool_result') parts.push(...readShownBlock(block))
    else {
      const { message, shown } = readResult(block)
      results.push(message)
      // Messages of tools hold text only.
      parts.push(...shown)
    }
  }
  if (parts.length === 0 && results.length > 0) return results
  return [...results, { role: 'user', content: contentOf(parts) }]
}

/** One text where there is no more: what every server understands. */
function contentOf(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const [first] = parts
  if (first === undefined) return ''
  return parts.length === 1 && first.type === 'text' ? (textField(first, 'text') ?? '') : parts
}

/** A tool's result, and what of it is not text. */
function readResult({ fields, path }: Block): {
  readonly message: Message
  readonly shown: readonly ContentPart[]
} {
  const id = textField(fields, 'tool_use_id')
  if (id === undefined) throw invalidField(`${path}.tool_use_id`, 'is missing')
  const parts = readBlocks(own(fields, 'content'), `${path}.content`).flatMap(readShownBlock)
  const text = textsOfParts(parts).join(PARAGRAPH)
  const content = own(fields, 'is_error') === true ? asFailure(text) : text
  return {
    message: { role: 'tool', tool_call_id: id, content },
    shown: parts.filter(({ type }) => type !== 'text'),
  }
}

/** Chat completions have no mark for a failed tool: its text says it. */
function asFailure(text: string): string {
  if (text === '') return 'Error: the tool failed'
  return /^\W*error\b/i.test(text) ? text : `Error: ${text}`
}

function assistantMessage(blocks: readonly Block[]): Message {
  let text = ''
  let reasoning = ''
  const calls: WireToolCall[] = []
  for (const block of blocks) {
    const { type, fields } = block
    if (type === 'text') text += textOf(block)
    else if (type === 'thinking') reasoning += textField(fields, 'thinking') ?? ''
    else if (type === 'tool_use') calls.push(toCall(block))
    // What only Anthropic can read says nothing to another model.
    else if (type !== 'redacted_thinking') throw unsupportedBlock(block)
  }
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

function toCall({ fields, path }: Block): WireToolCall {
  const id = textField(fields, 'id')
  const name = textField(fields, 'name')
  if (id === undefined) throw invalidField(`${path}.id`, 'is missing')
  if (name === undefined) throw invalidField(`${path}.name`, 'is missing')
  const args = stringifyJson(own(fields, 'input') ?? {})
  return { id, type: 'function', function: { name, arguments: args } }
}
