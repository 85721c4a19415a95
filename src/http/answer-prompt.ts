import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AnsweringModel } from '../llm/model.js'
import type { PreparedChat } from '../prompts/chat.js'
import { createStructuredModel } from '../prompts/structured-chat.js'
import type { AnswerModel } from './answer-model.js'
import type { ModelCall } from './model-call.js'

/** Answers with what the model says to a prompt, held to the prompt's schema where that is asked for. */
export type AnswerPrompt = (
  prepared: PreparedChat,
  facts: Pick<ModelCall, 'revision' | 'logFields'>,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<void>

/** Puts structured output around the model where a prompt asks for it. */
export function createAnswerPrompt(model: AnsweringModel, answer: AnswerModel): AnswerPrompt {
  return ({ request: asked, stream, structured, warnings }, { revision, logFields }, request, reply) => {
    const call: ModelCall = {
      request: asked,
      model: structured === undefined ? model : createStructuredModel(model, structured),
      revision,
      logFields,
      promptWarnings: warnings,
    }
    return answer(call, {}, stream, request, reply)
  }
}
