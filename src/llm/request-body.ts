import { isJsonObject, type JsonValue, own, stringifyJson } from '../util/json/json.js'
import { listField } from '../util/json/json-fields.js'
import { jsonBytes } from '../util/json/json-pieces.js'
import type { ModelRequest } from './model.js'

/** A conversation of this many characters is written in pieces. */
const LONG = 1 << 15

/**
 * A request as JSON. A conversation may be much longer than the body of any one request: then it comes as bytes in
 * pieces, which are made while others have their turns.
 */
export function requestBody(request: ModelRequest): string | Promise<readonly Buffer[]> {
  const messages = listField(request, 'messages')
  return isLong(messages) ? bytesOf(request) : stringifyJson(request)
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

async function bytesOf(request: ModelRequest): Promise<readonly Buffer[]> {
  return (await jsonBytes(request)).pieces
}
