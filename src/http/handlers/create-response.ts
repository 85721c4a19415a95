import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ChatModels } from '../../agents/chat-models.js'
import type { Message } from '../../conversation/message.js'
import type { Model, ModelRequest } from '../../llm/model.js'
import { toChatMessages } from '../../llm/responses/to-chat-messages.js'
import { toChatRequest } from '../../llm/responses/to-chat-request.js'
import { answerId } from '../../util/answer-id.js'
import { type JsonObject, own } from '../../util/json.js'
import { listField } from '../../util/json-fields.js'
import type { AnswerModel } from '../answer-model.js'
import { callOfModel } from '../call-of-model.js'
import type { ModelCall } from '../model-call.js'
import { type PromptReference, promptOf, withoutPromptModel } from '../prompt-reference.js'
import { NATIVE_RESPONSE, responseShape } from '../response-shape.js'
import { type PrepareDependencies, prepareReference } from './prepare-reference.js'

/** What OpenAI's responses need. */
export interface ResponseDependencies extends PrepareDependencies {
  readonly model: Model
  /** Models that run tools, read calls in text, or are agents. */
  readonly models: ChatModels
  /** For requests that name no model. */
  readonly defaultModel: string | undefined
  readonly answerModel: AnswerModel
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** A request of the responses interface, and what the messages of a registered prompt put before it. */
interface Asked {
  readonly request: ModelRequest
  readonly promptMessages: readonly Message[]
  readonly facts: Pick<ModelCall, 'model' | 'revision' | 'served' | 'logFields' | 'promptWarnings'>
}

/** Responses of OpenAI, of a model or of a registered prompt. */
export function createResponse(dependencies: ResponseDependencies) {
  return async (request: FastifyRequest<{ Body: JsonObject }>, reply: FastifyReply): Promise<void> => {
    const body = request.body
    const reference = promptOf(body)
    const asked =
      reference === undefined
        ? plain(body, dependencies, request)
        : await withPrompt(dependencies, reference, request)
    return respond(dependencies, asked, request, reply)
  }
}

function plain(
  body: JsonObject,
  { models, defaultModel }: ResponseDependencies,
  asking: FastifyRequest,
): Asked {
  const { request, model } = callOfModel(body, models, defaultModel, asking)
  return { request, promptMessages: [], facts: { model } }
}

async function withPrompt(
  dependencies: ResponseDependencies,
  reference: PromptReference,
  request: FastifyRequest<{ Body: JsonObject }>,
): Promise<Asked> {
  const { prompt: _prompt, variables: _variables, args: _args, scenario: _scenario, ...rest } = request.body
  const { input, ...parameters } = withoutPromptModel(rest)
  // The input is checked with the prompt's messages, as one conversation, and sent as it came.
  const following = toChatMessages(input)
  const chat = { parameters, messages: following }
  const { prepared, ...facts } = await prepareReference(dependencies, reference, chat, request)
  const { messages, ...chosen } = prepared.request
  return {
    request: { ...chosen, ...(input !== undefined && { input }) },
    promptMessages: messages.slice(0, messages.length - following.length),
    facts: { ...facts, model: dependencies.models.forChat(prepared), promptWarnings: prepared.warnings },
  }
}

function respond(
  { model, answerModel, now }: ResponseDependencies,
  { request: asked, promptMessages, facts }: Asked,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const isStream = own(asked, 'stream') === true
  // What runs tools or reads calls in text understands chat completions.
  if (facts.model === undefined && model.supportsResponses(asked.model)) {
    const call = { ...facts, request: withInput(asked, promptMessages), endpoint: 'responses' as const }
    return answerModel(call, NATIVE_RESPONSE, isStream, request, reply)
  }
  const call = { ...facts, request: toChatRequest(asked, promptMessages) }
  return answerModel(call, responseShape(asked, answerId(), now()), isStream, request, reply)
}

/** A registered prompt's messages before the input, in the responses interface's own shape. */
function withInput(asked: ModelRequest, promptMessages: readonly Message[]): ModelRequest {
  if (promptMessages.length === 0) return asked
  const input = own(asked, 'input')
  const following = typeof input === 'string' ? [{ role: 'user', content: input }] : listField(asked, 'input')
  return { ...asked, input: [...promptMessages, ...following] }
}
