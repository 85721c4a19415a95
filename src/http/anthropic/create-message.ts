import type { FastifyReply, FastifyRequest } from 'fastify'
import { readMessagesRequest, showsThinking } from '../../llm/anthropic/read-request.js'
import { answerId } from '../../util/answer-id.js'
import type { JsonObject } from '../../util/json/json.js'
import { textField } from '../../util/json/json-fields.js'
import { type CompletionDependencies, completeChat } from '../handlers/create-completion.js'
import { messageShape } from './message-shape.js'

/** Messages of Anthropic, of a model, a registered prompt or an agent: read and written, and otherwise a chat. */
export function createMessage(dependencies: CompletionDependencies) {
  return async (request: FastifyRequest<{ Body: JsonObject }>, reply: FastifyReply): Promise<void> => {
    const { body } = request
    const model = textField(body, 'model') ?? dependencies.defaultModel ?? ''
    const shape = messageShape({ id: answerId(), model, showsThinking: showsThinking(body) })
    await completeChat(dependencies, { body: readMessagesRequest(body), shape }, request, reply)
  }
}
