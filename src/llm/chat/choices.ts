import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { isJsonList } from '../../util/json/json-fields.js'

/** The choices of a chat completion or of one of its streamed chunks; what is no object is left out. */
export function choicesOf(body: JsonObject): readonly JsonObject[] {
  const choices = own(body, 'choices')
  return Array.isArray(choices) ? choices.filter(isJsonObject) : []
}

/** Whether a body is a chat completion at all: it has a first choice. */
export function hasChoice(body: JsonObject): boolean {
  const choices = own(body, 'choices')
  return Array.isArray(choices) && isJsonObject(choices[0])
}

/** How likely each token of a choice was; undefined where nobody asked. */
export function logprobsIn(choice: JsonObject): readonly JsonValue[] | undefined {
  const logprobs = own(choice, 'logprobs')
  const content = isJsonObject(logprobs) ? own(logprobs, 'content') : undefined
  return isJsonList(content) ? content : undefined
}

/** A value if it is a text that says something. */
export function textIn(object: JsonObject, name: string): string | undefined {
  const value: JsonValue | undefined = own(object, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}
