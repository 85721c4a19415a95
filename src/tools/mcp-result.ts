import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import { WireError } from '../transport/wire-error.js'
import { readForeignJson } from '../util/json/foreign-json.js'
import { type JsonObject, type JsonValue, own } from '../util/json/json.js'
import { TOOL_ANSWER_BOUNDS } from '../util/limits.js'
import { excerpt } from '../util/text/excerpt.js'
import type { WireReply } from './tool-wire.js'

/**
 * What an MCP result is to a template: the structured content, else the text parts, joined by line breaks. Text is
 * read as JSON where the tool's document expects more than text.
 *
 * @throws WireError `rejected` for `isError`, `bad_response` without any text
 */
export async function readMcpResult(result: CallToolResult, expectsStructure: boolean): Promise<WireReply> {
  const parts = result.content ?? []
  const texts = parts.map(textOf).filter((text) => text !== undefined)
  if (result.isError === true) throw new WireError('rejected', toExcerpt(texts.join(' ')))
  // What came over JSON is JSON.
  if (result.structuredContent !== undefined) return reply(result.structuredContent as JsonValue)
  if (texts.length === 0 && parts.length > 0) {
    throw new WireError(
      'bad_response',
      `answered with ${parts.map(({ type }) => type).join(', ')} and no text`,
    )
  }
  const text = texts.join('\n')
  const omitted = parts.length - texts.length
  const warnings = omitted === 0 ? [] : [`${omitted} parts of the answer are not text and were left out`]
  return { value: expectsStructure ? await readStructure(text) : text, warnings }
}

/** True if a tool's document says that its result is more than text. */
export function expectsStructure(result: string | undefined, returns: JsonObject | undefined): boolean {
  if (result !== undefined) return true
  const type = returns === undefined ? undefined : own(returns, 'type')
  return type !== undefined && type !== 'string'
}

function textOf(part: ContentBlock): string | undefined {
  if (part.type === 'text') return part.text
  if (part.type !== 'resource') return undefined
  const { resource } = part
  return 'text' in resource ? resource.text : undefined
}

async function readStructure(text: string): Promise<JsonValue> {
  try {
    const value = await readForeignJson(text, TOOL_ANSWER_BOUNDS)
    return typeof value === 'string' ? text : value
  } catch {
    return text
  }
}

function toExcerpt(text: string): string {
  const line = excerpt(text)
  return line === '' ? 'answered with an error' : `answered with an error: ${line}`
}

function reply(value: JsonValue): WireReply {
  return { value, warnings: [] }
}
