import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ChatModels } from '../../agents/chat-models.js'
import type { AnsweringModel } from '../../llm/model.js'
import type { PreparedChat } from '../../prompts/chat.js'
import { createStructuredModel } from '../../prompts/structured-chat.js'
import type { AnswerModel } from './answer-model.js'
import type { AnswerShape, ModelCall } from './model-call.js'

/** What an answer's head and log line say of its prompt, and how the client reads the answer. */
export type PromptFacts = Pick<ModelCall, 'revision' | 'served' | 'logFields'> & {
  /** Default: the upstream's bytes. */
  readonly shape?: AnswerShape
}

/** Answers with what the model says to a prompt, held to the prompt's schema where that is asked for. */
export type AnswerPrompt = (
  prepared: PreparedChat,
  facts: PromptFacts,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<void>

/** Puts structured output around the model where a prompt asks for it. */
export function createAnswerPrompt(
  usual: AnsweringModel,
  models: ChatModels,
  answer: AnswerModel,
): AnswerPrompt {
  return (
    { request: asked, stream, structured, runs, protocol, warnings },
    { revision, served, logFields, shape = {} },
    request,
    reply,
  ) => {
    const isPlain = runs === undefined && protocol === undefined
    const model = (isPlain ? undefined : models.forChat({ runs, protocol })) ?? usual
    const call: ModelCall = {
      request: asked,
      model: structured === undefined ? model : createStructuredModel(model, structured),
      revision,
      served,
      logFields,
      promptWarnings: warnings,
    }
    return answer(call, shape, stream, request, reply)
  }
}
