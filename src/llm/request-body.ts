import { isJsonObject, type JsonValue, own, stringifyJson } from '../util/json/json.js'
import { listField } from '../util/json/json-fields.js'
import { createSlicer } from '../util/slices/pause.js'
import type { ModelRequest } from './model.js'

/** A conversation of this many characters is written message by message. */
const LONG = 1 << 20
/** Short messages become one piece of about this many characters. */
const PIECE = 1 << 16

/**
 * A request as JSON. A conversation may be much longer than the body of any one request: then it comes as bytes in
 * pieces, which are made while others have their turns.
 */
export function requestBody(request: ModelRequest): string | Promise<readonly Buffer[]> {
  const messages = listField(request, 'messages')
  return isLong(messages) ? bytesOf(request, messages) : stringifyJson(request)
}

function isLong(messages: readonly JsonValue[]): boolean {
  let characters = 0
  for (const message of messages) characters += isJsonObject(message) ? lengthOf(own(message, 'content')) : 0
  return characters > LONG
}

/** Of the long things that a message holds: its text, or the texts and links of its parts. */
function lengthOf(content: JsonValue | undefined): number {
  if (typeof content === 'string') return content.length
  if (Array.isArray(content)) return content.reduce((sum: number, part) => sum + lengthOf(part), 0)
  if (!isJsonObject(content)) return 0
  return lengthOf(own(content, 'text')) + lengthOf(own(content, 'image_url')) + lengthOf(own(content, 'url'))
}

async function bytesOf(request: ModelRequest, messages: readonly JsonValue[]): Promise<readonly Buffer[]> {
  const slicer = createSlicer()
  const { messages: _messages, ...rest } = request
  const pieces: Buffer[] = []
  let text = `${stringifyJson(rest).slice(0, -1)},"messages":[`
  for (const [index, message] of messages.entries()) {
    text += `${index === 0 ? '' : ','}${stringifyJson(message)}`
    if (text.length < PIECE) continue
    pieces.push(Buffer.from(text))
    text = ''
    await slicer.turn()
  }
  return [...pieces, Buffer.from(`${text}]}`)]
}
