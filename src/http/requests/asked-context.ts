import type { AskedContext } from '../../responses/response-context.js'
import { invalidField } from '../../util/errors/invalid-input.js'
import { isJsonObject, type JsonObject, own } from '../../util/json/json.js'
import { textField } from '../../util/json/json-fields.js'

/** What a request of the responses interface says of what came before it. @throws ServiceError `invalid_request` */
export function askedContext(body: JsonObject): AskedContext {
  return {
    store: flag(body, 'store'),
    background: flag(body, 'background') === true,
    previousResponse: text(body, 'previous_response_id'),
    conversation: conversationOf(body),
    input: own(body, 'input'),
  }
}

function flag(body: JsonObject, name: string): boolean | undefined {
  const value = own(body, name)
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'boolean') throw invalidField(name, 'must be true or false')
  return value
}

function text(body: JsonObject, name: string): string | undefined {
  const value = own(body, name)
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw invalidField(name, 'must be an id')
  return value
}

function conversationOf(body: JsonObject): string | undefined {
  const value = own(body, 'conversation')
  if (!isJsonObject(value)) return text(body, 'conversation')
  const id = textField(value, 'id')
  if (id === undefined) throw invalidField('conversation.id', 'is missing')
  return id
}
