import { textPart } from '../../conversation/content-part.js'
import type { ContentPart } from '../../conversation/message.js'
import { invalidField } from '../../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { isJsonList, listField, objectField, textField } from '../../util/json/json-fields.js'

/** One content block of Anthropic's messages, and its position in the request. */
export interface Block {
  readonly type: string
  readonly fields: JsonObject
  /** Dotted path, for errors. */
  readonly path: string
}

/**
 * The content blocks of a message, of the system text or of a tool's result; a string is one text block.
 *
 * @throws ServiceError `invalid_request`
 */
export function readBlocks(content: JsonValue | undefined, path: string): readonly Block[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return [{ type: 'text', fields: { text: content }, path }]
  if (!isJsonList(content)) throw invalidField(path, 'must be a string or a list of content blocks')
  return content.map((fields, index) => {
    const place = `${path}.${index}`
    const type = isJsonObject(fields) ? textField(fields, 'type') : undefined
    if (!isJsonObject(fields) || type === undefined) {
      throw invalidField(place, 'must be a content block with a `type`')
    }
    return { type, fields, path: place }
  })
}

/** The error for a block that chat completions have no counterpart of: it names the block's type. */
export function unsupportedBlock({ type, path }: Block): Error {
  const reason = /server_tool|_tool_result$|^mcp_/.test(type)
    ? 'tools that run at Anthropic do not run here'
    : 'this service has no counterpart of it'
  return invalidField(path, `has the type ${JSON.stringify(type)}, which is not supported: ${reason}`)
}

/**
 * What a user or a tool shows: text, images, documents and search results as the parts of a chat message.
 *
 * @throws ServiceError `invalid_request` for other blocks, and for sources that only Anthropic can read
 */
export function readShownBlock(block: Block): readonly ContentPart[] {
  const { type, fields } = block
  if (type === 'text') return [textPart(textField(fields, 'text') ?? '')]
  if (type === 'image') return [imagePart(block)]
  if (type === 'document') return documentParts(block)
  if (type === 'search_result') return [textPart(searchResultText(block))]
  throw unsupportedBlock(block)
}

/** The texts of parts that have one. */
export function textsOfParts(parts: readonly ContentPart[]): readonly string[] {
  return parts.flatMap((part) => (part.type === 'text' ? [textField(part, 'text') ?? ''] : []))
}

function imagePart({ fields, path }: Block): ContentPart {
  const source = objectField(fields, 'source')
  const type = own(source, 'type')
  if (type === 'url')
    return { type: 'image_url', image_url: { url: requiredText(source, 'url', `${path}.source`) } }
  if (type === 'base64') return { type: 'image_url', image_url: { url: dataUrl(source, path) } }
  throw unsupportedSource(type, path)
}

function documentParts({ fields, path }: Block): readonly ContentPart[] {
  const source = objectField(fields, 'source')
  const title = textField(fields, 'title')
  const type = own(source, 'type')
  if (type === 'base64') {
    const filename = title ?? 'document.pdf'
    return [{ type: 'file', file: { filename, file_data: dataUrl(source, path) } }]
  }
  const heading = [title, textField(fields, 'context')].filter((line) => line !== undefined).map(textPart)
  if (type === 'text') return [...heading, textPart(requiredText(source, 'data', `${path}.source`))]
  if (type !== 'content') throw unsupportedSource(type, path)
  const parts = readBlocks(own(source, 'content'), `${path}.source.content`).flatMap(readShownBlock)
  return [...heading, ...parts]
}

function searchResultText({ fields, path }: Block): string {
  const parts = listField(fields, 'content')
    .filter(isJsonObject)
    .map((part) => textField(part, 'text') ?? '')
  return [textField(fields, 'title') ?? '', requiredText(fields, 'source', path), ...parts].join('\n')
}

function dataUrl(source: JsonObject, path: string): string {
  const place = `${path}.source`
  const type = requiredText(source, 'media_type', place)
  return `data:${type};base64,${requiredText(source, 'data', place)}`
}

function requiredText(object: JsonObject, name: string, path: string): string {
  const text = textField(object, name)
  if (text === undefined) throw invalidField(`${path}.${name}`, 'is missing')
  return text
}

function unsupportedSource(type: JsonValue | undefined, path: string): Error {
  const given = type === undefined ? 'is missing' : `${JSON.stringify(type)} is not supported`
  return invalidField(`${path}.source.type`, `${given}: send the content itself, as base64 or text`)
}
