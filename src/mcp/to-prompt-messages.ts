import type { ContentBlock, PromptMessage } from '@modelcontextprotocol/server'
import type { ContentPart, Message } from '../conversation/message.js'
import { readToolCalls } from '../conversation/tool-calls.js'
import { readDataUrl } from '../util/text/data-url.js'

/** OpenAI's names of audio formats whose subtype has another name. */
const AUDIO_TYPES: Readonly<Record<string, string>> = { mp3: 'audio/mpeg' }

/**
 * The messages of a rendered prompt in MCP's shape: one block a message, and only `user` and `assistant`. What the
 * system and tools say is a user's message, marked as theirs in its text.
 */
export function toPromptMessages(messages: readonly Message[]): PromptMessage[] {
  return messages.flatMap(fromMessage)
}

function fromMessage(message: Message): PromptMessage[] {
  const role: PromptMessage['role'] = message.role === 'assistant' ? 'assistant' : 'user'
  const mark = markOf(message)
  const parts = partsOf(message.content ?? []).map((part) => ({ role, content: toContent(part, mark) }))
  const calls = readToolCalls(message).map(({ function: { name, arguments: text } }) => ({
    role,
    content: textContent(`<tool_call name=${JSON.stringify(name)}>\n${text}\n</tool_call>`),
  }))
  return [...parts, ...calls]
}

/** The element that names the speaker of a text, where MCP has no role for the speaker. */
function markOf({ role }: Message): string | undefined {
  if (role === 'system' || role === 'developer') return 'system'
  return role === 'tool' ? 'tool_result' : undefined
}

function partsOf(content: string | readonly ContentPart[]): readonly (string | ContentPart)[] {
  return typeof content === 'string' ? [content] : content
}

function toContent(part: string | ContentPart, mark: string | undefined): ContentBlock {
  if (typeof part === 'string') return textContent(marked(part, mark))
  switch (part.type) {
    case 'text':
      return textContent(marked(part.text, mark))
    case 'refusal':
      return textContent(part.refusal)
    case 'image_url':
      return imageContent(part.image_url.url)
    case 'input_audio': {
      const { data, format } = part.input_audio
      return { type: 'audio', data, mimeType: AUDIO_TYPES[format] ?? `audio/${format}` }
    }
    case 'file':
      return fileContent(part.file)
  }
}

/** A tool cannot end its mark, or begin another's. */
const MARKS = /<(?=\/?(?:system|tool_result|tool_call)(?:[\s>/]|$))/gi

function marked(text: string, mark: string | undefined): string {
  if (mark === undefined) return text
  const own = mark === 'tool_result' ? text.replace(MARKS, '<\\') : text
  return `<${mark}>\n${own}\n</${mark}>`
}

function textContent(text: string): ContentBlock {
  return { type: 'text', text }
}

function imageContent(url: string): ContentBlock {
  const { mimeType, data } = readDataUrl(url) ?? {}
  if (data === undefined) return { type: 'resource_link', uri: url, name: 'image' }
  return { type: 'image', data, mimeType: mimeType || 'image/png' }
}

function fileContent(file: {
  readonly file_id?: string
  readonly file_data?: string
  readonly filename?: string
}): ContentBlock {
  const { file_data: data, file_id: id = '', filename = 'file' } = file
  const uri = `file:///${encodeURIComponent(filename)}`
  if (data === undefined) return textContent(`[file ${id}]`)
  const { mimeType, data: blob = data } = readDataUrl(data) ?? {}
  return { type: 'resource', resource: { uri, blob, ...(mimeType && { mimeType }) } }
}
