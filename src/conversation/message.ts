import { isRole, type Role } from '../schema/role.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'

/** A piece of text. */
export type TextPart = { readonly type: 'text'; readonly text: string }

/** An image by url, which may be a `data:` url. */
export type ImagePart = {
  readonly type: 'image_url'
  readonly image_url: { readonly url: string; readonly detail?: 'auto' | 'low' | 'high' }
}

/** Audio as base64 text. */
export type AudioPart = {
  readonly type: 'input_audio'
  readonly input_audio: { readonly data: string; readonly format: string }
}

/** A file by id of an earlier upload, or inline as base64 text with its name. */
export type FilePart = {
  readonly type: 'file'
  readonly file: { readonly file_id?: string; readonly file_data?: string; readonly filename?: string }
}

/** What an assistant said instead of an answer. */
export type RefusalPart = { readonly type: 'refusal'; readonly refusal: string }

/** A content part of OpenAI's chat completions. Fields beside the known ones pass through. */
export type ContentPart = (TextPart | ImagePart | AudioPart | FilePart | RefusalPart) & JsonObject

/** What a message says: one text, parts, or nothing (an assistant that only calls tools). */
export type Content = string | readonly ContentPart[] | null

/**
 * A call as an assistant message holds it on the wire: `arguments` is the JSON text as the model wrote it.
 * Fields beside the known ones pass through.
 */
export type WireToolCall = JsonObject & {
  readonly id: string
  readonly type: 'function'
  readonly function: JsonObject & { readonly name: string; readonly arguments: string }
}

/**
 * One message of a conversation, in the shape of OpenAI's chat completions: the one message type of the product, from
 * stored prompts to the wire. Unknown fields pass through.
 */
export type Message = JsonObject & {
  readonly role: Role
  readonly content?: Content
  /** Of the speaker, where several share a role. */
  readonly name?: string
  /** On a `tool` message: which call it answers. */
  readonly tool_call_id?: string
  /** On an `assistant` message: what it asks for. */
  readonly tool_calls?: readonly WireToolCall[]
}

/** True for an object with a known role: what else it says is checked by `validateMessages`. */
export function isMessage(value: JsonValue | undefined): value is Message {
  return isJsonObject(value) && isRole(own(value, 'role'))
}

/** What a message says in words: its text, or its text parts one after another; other parts say nothing. */
export function messageText({ content }: Pick<Message, 'content'>): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
}
