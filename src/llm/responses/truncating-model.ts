import type { Message } from '../../conversation/message.js'
import { own } from '../../util/json/json.js'
import type { AnsweringModel, ModelRequest } from '../model.js'
import { isContextOverflow } from '../model-error.js'
import { requestMessages } from '../request-messages.js'

/**
 * The model for a request's `truncation`: with `auto` a conversation loses its oldest messages where the model refuses it
 * as too long. Each time the older half goes; instructions, and the last user message with all that follows it, stay.
 *
 * @param request of the responses interface
 */
export function fittingModel(model: AnsweringModel, request: ModelRequest): AnsweringModel {
  if (own(request, 'truncation') !== 'auto') return model
  return {
    complete: (asked, options) => fitting(asked, (shorter) => model.complete(shorter, options)),
    stream: (asked, options) => fitting(asked, (shorter) => model.stream(shorter, options)),
  }
}

async function fitting<Answer>(
  request: ModelRequest,
  ask: (request: ModelRequest) => Promise<Answer>,
): Promise<Answer> {
  for (let asked = request; ; ) {
    try {
      return await ask(asked)
    } catch (error) {
      const messages = isContextOverflow(error) ? withoutOldest(requestMessages(asked)) : undefined
      if (messages === undefined) throw error
      asked = { ...asked, messages }
    }
  }
}

const isInstruction = ({ role }: Message) => role === 'system' || role === 'developer'

/** Undefined where nothing may go. What is kept begins with a user message: calls and their results stay together. */
function withoutOldest(messages: readonly Message[]): readonly Message[] | undefined {
  const said = messages.filter((message) => !isInstruction(message))
  const last = said.findLastIndex(({ role }) => role === 'user')
  const half = Math.ceil(last / 2)
  const first = said.findIndex(({ role }, index) => index >= half && role === 'user')
  if (last < 1 || first < 1) return undefined
  const dropped = new Set(said.slice(0, first))
  return messages.filter((message) => !dropped.has(message))
}
