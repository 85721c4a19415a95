import { isJsonObject, type JsonObject, type JsonValue, own } from '../util/json/json.js'

/** Many servers take only strings: content of one text part, which says no more than its text, becomes that text. */
export function withFlatText<Message extends JsonObject>(message: Message): Message {
  const content = own(message, 'content')
  if (!Array.isArray(content) || content.length !== 1) return message
  const part: JsonValue | undefined = content[0]
  // A part with more than its text (such as a cache mark) would lose it.
  if (!isJsonObject(part) || Object.keys(part).length !== 2) return message
  const text = own(part, 'text')
  return own(part, 'type') === 'text' && typeof text === 'string' ? { ...message, content: text } : message
}
