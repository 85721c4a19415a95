import { isMessage, type Message } from '../conversation/message.js'
import { invalidField } from '../util/errors/invalid-input.js'
import { listField } from '../util/json/json-fields.js'
import type { ModelRequest } from './model.js'

/** The conversation of a request, parsed. @throws ServiceError `invalid_request` for an invalid message */
export function requestMessages(request: ModelRequest): readonly Message[] {
  return listField(request, 'messages').map((message, index) => {
    if (isMessage(message)) return message
    throw invalidField(`messages.${index}`, 'must be a message with a known role')
  })
}
