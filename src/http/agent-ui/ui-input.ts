import type { ContentPart } from '../../conversation/message.js'
import type { ServiceError } from '../../errors.js'
import type { AgUiBody, UiChatBody } from '../../schema/agent-ui-api.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, own } from '../../util/json/json.js'
import { objectField } from '../../util/json/json-fields.js'

/** What a user says in one turn. */
export type UiInput = string | readonly ContentPart[]

/** The newest message of a Vercel UI chat: its texts and images. @throws ServiceError `invalid_request` */
export function uiInput({ messages }: UiChatBody): UiInput {
  const last = messages.at(-1)
  if (last?.role !== 'user') throw notAUser()
  return said(last.parts.flatMap((part) => uiPart(part)))
}

/** The newest message of an AG-UI run. @throws ServiceError `invalid_request` */
export function agUiInput({ messages }: AgUiBody): UiInput {
  const last = messages.at(-1)
  if (last === undefined || own(last, 'role') !== 'user') throw notAUser()
  const content = own(last, 'content')
  if (typeof content === 'string') return content
  return said(
    Array.isArray(content) ? content.flatMap((part) => (isJsonObject(part) ? agUiPart(part) : [])) : [],
  )
}

/** The variables that a run brings along. */
export function forwardedVariables({ forwardedProps }: AgUiBody): JsonObject {
  return isJsonObject(forwardedProps) ? objectField(forwardedProps, 'variables') : {}
}

function uiPart(part: JsonObject): readonly ContentPart[] {
  const [type, text, url, mediaType] = ['type', 'text', 'url', 'mediaType'].map((name) => own(part, name))
  if (type === 'text' && typeof text === 'string') return [{ type: 'text', text }]
  const isImage = type === 'file' && typeof mediaType === 'string' && mediaType.startsWith('image/')
  return isImage && typeof url === 'string' ? [{ type: 'image_url', image_url: { url } }] : []
}

function agUiPart(part: JsonObject): readonly ContentPart[] {
  const text = own(part, 'text')
  if (own(part, 'type') === 'text' && typeof text === 'string') return [{ type: 'text', text }]
  const url = own(part, 'url')
  return typeof url === 'string' ? [{ type: 'image_url', image_url: { url } }] : []
}

/** One text is said as it is. */
function said(parts: readonly ContentPart[]): UiInput {
  const [first, ...rest] = parts
  if (first === undefined) throw invalid('the last message says nothing')
  return first.type === 'text' && rest.length === 0 ? String(first.text) : parts
}

function notAUser(): ServiceError {
  return invalid('the last message must be the user’s, or answer the questions of a pause')
}

function invalid(message: string): ServiceError {
  return invalidInput('messages', `\`messages\`: ${message}`)
}
