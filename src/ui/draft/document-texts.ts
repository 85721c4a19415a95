import type { JsonObject, JsonValue } from '../api/shapes.js'

/** One text of a prompt: a template, and where in the document it is. */
export interface DocumentText {
  /** Which message it belongs to; a prompt of one text is one message. */
  readonly message: number
  /** Which part of that message, where it has parts. */
  readonly part?: number
  readonly role: string
  readonly path: readonly (string | number)[]
  readonly text: string
}

/** The texts of a prompt document, in order. */
export function textsOf(document: JsonObject): readonly DocumentText[] {
  for (const name of ['userPrompt', 'prompt']) {
    const text = document[name]
    if (typeof text === 'string') return [{ message: 0, role: 'user', path: [name], text }]
  }
  const { messages } = document
  return Array.isArray(messages) ? messages.flatMap(textsOfMessage) : []
}

function textsOfMessage(message: JsonValue, index: number): readonly DocumentText[] {
  if (!isObject(message)) return []
  const role = typeof message['role'] === 'string' ? message['role'] : ''
  const path = ['messages', index, 'content']
  const { content } = message
  if (typeof content === 'string') return [{ message: index, role, path, text: content }]
  if (!Array.isArray(content)) return []
  return content.flatMap((each: JsonValue, part: number) => {
    const text = isObject(each) ? each['text'] : undefined
    return typeof text === 'string'
      ? [{ message: index, part, role, path: [...path, part, 'text'], text }]
      : []
  })
}

/** The document with another text at this place. */
export function withText(document: JsonObject, path: DocumentText['path'], text: string): JsonObject {
  const [name = '', ...rest] = path
  return { ...document, [name]: put(document[name], rest, text) }
}

function put(value: JsonValue | undefined, [name, ...rest]: DocumentText['path'], text: string): JsonValue {
  if (name === undefined) return text
  if (Array.isArray(value)) return value.with(Number(name), put(value[Number(name)], rest, text))
  return isObject(value) ? { ...value, [name]: put(value[name], rest, text) } : text
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
