import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ChatModels } from '../../agents/chat-models.js'
import type { ChatInput } from '../../prompts/chat.js'
import { copyInto } from '../../util/define.js'
import { type JsonObject, type JsonValue, own } from '../../util/json/json.js'
import { listField } from '../../util/json/json-fields.js'
import type { AnswerModel } from '../chat/answer-model.js'
import type { AnswerPrompt } from '../chat/answer-prompt.js'
import { callOfModel } from '../chat/call-of-model.js'
import type { AnswerShape } from '../chat/model-call.js'
import { type PromptReference, promptOf, withoutPromptModel } from '../requests/prompt-reference.js'
import { type PrepareDependencies, prepareReference } from './prepare-reference.js'

/** What OpenAI's chat completions need. */
export interface CompletionDependencies extends PrepareDependencies {
  /** For requests that name no model. */
  readonly defaultModel: string | undefined
  /** Models that run tools, read calls in text, or are agents. */
  readonly models: ChatModels
  readonly answerPrompt: AnswerPrompt
  readonly answerModel: AnswerModel
}

const NO_PARAMETERS = new Set(['variables', 'args', 'prompt', 'messages', 'scenario'])

/** Chat completions of OpenAI, of a model or of a registered prompt. */
export function createCompletion(dependencies: CompletionDependencies) {
  return (request: FastifyRequest<{ Body: JsonObject }>, reply: FastifyReply): Promise<void> =>
    completeChat(dependencies, { body: request.body, shape: {} }, request, reply)
}

/** A chat that a client asks for, in whatever interface. */
export interface AskedChat {
  /** As chat completions have it. */
  readonly body: JsonObject
  /** How the client reads the answer. */
  readonly shape: AnswerShape
}

/** Asks a model, a registered prompt or an agent, and answers in the client's shape. @throws ServiceError */
export function completeChat(
  dependencies: CompletionDependencies,
  { body, shape }: AskedChat,
  request: FastifyRequest<{ Body: JsonObject }>,
  reply: FastifyReply,
): Promise<void> {
  const { answerModel, models, defaultModel } = dependencies
  const reference = promptOf(body)
  if (reference === undefined) {
    const call = callOfModel(body, models, defaultModel, request)
    return answerModel(call, shape, own(body, 'stream') === true, request, reply)
  }
  return completePrompt(dependencies, { body, shape }, reference, request, reply)
}

async function completePrompt(
  dependencies: CompletionDependencies,
  { body, shape }: AskedChat,
  reference: PromptReference,
  request: FastifyRequest<{ Body: JsonObject }>,
  reply: FastifyReply,
): Promise<void> {
  const { prepared, ...facts } = await prepareReference(dependencies, reference, inputOf(body), request)
  return dependencies.answerPrompt(prepared, { ...facts, shape }, request, reply)
}

/** What a body says for the model, without what it says for the prompt. */
export function inputOf(body: JsonObject): Pick<ChatInput, 'parameters' | 'messages'> {
  const parameters: Record<string, JsonValue> = {}
  copyInto(parameters, body, NO_PARAMETERS)
  return { parameters: withoutPromptModel(parameters), messages: listField(body, 'messages') }
}
