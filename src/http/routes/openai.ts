import type { FastifyPluginAsync } from 'fastify'
import {
  ChatAnswer,
  CompletionsBody,
  ModelEntry,
  ModelList,
  ModelParams,
  ResponseAnswer,
  ResponsesBody,
} from '../../schema/chat-api.js'
import { DOOR_ERRORS, errorAnswers, MODEL_ERRORS, RENDER_ERRORS } from '../../schema/error-answers.js'
import { type CompletionDependencies, createCompletion } from '../handlers/create-completion.js'
import { createResponse, type ResponseDependencies } from '../handlers/create-response.js'
import { listModels, type ModelListDependencies, showModel } from '../handlers/list-models.js'
import { needsScopes } from '../needs-scopes.js'
import { whenReady } from '../when-ready.js'

const ERRORS = errorAnswers(...RENDER_ERRORS, 'invalid_sequence', ...MODEL_ERRORS)

const COMPLETIONS = {
  operationId: 'createChatCompletion',
  tags: ['openai'],
  summary: 'Chat completions, with a model, a registered prompt or an agent',
  description:
    'With `model: "prompt:<id>"` or `prompt: {id, version?, variables?}` the prompt is rendered and `messages` follow it; `model: "agent:<id>"` answers with an agent, whose tools run here. Anything else goes to the model as it is.',
  body: CompletionsBody,
  response: { 200: ChatAnswer, ...ERRORS },
}

const RESPONSES = {
  operationId: 'createResponse',
  tags: ['openai'],
  summary: 'Responses, with a model, a registered prompt or an agent',
  description:
    'Takes `prompt: {id, version?, variables?}`, as OpenAI’s reusable prompts. Mapped onto chat completions where the upstream has no such interface.',
  body: ResponsesBody,
  response: { 200: ResponseAnswer, ...ERRORS },
}

const MODELS = {
  operationId: 'listModels',
  tags: ['openai'],
  summary: 'Models, prompts and agents',
  response: { 200: ModelList, ...errorAnswers(...DOOR_ERRORS) },
}

const MODEL = {
  operationId: 'getModel',
  tags: ['openai'],
  summary: 'One model, prompt or agent',
  params: ModelParams,
  response: { 200: ModelEntry, ...errorAnswers(...DOOR_ERRORS, 'prompt_not_found') },
}

/** Whoever has a key may ask: the answer has what the key may see. */
const NO_SCOPE = { scopes: [] }

/** What any OpenAI client speaks: `/v1/chat/completions`, `/v1/responses` and `/v1/models`. */
export function openAiRoutes(
  dependencies: CompletionDependencies & ResponseDependencies & ModelListDependencies,
): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'chat')
    server.post('/v1/chat/completions', { schema: COMPLETIONS }, createCompletion(dependencies))
    server.post('/v1/responses', { schema: RESPONSES }, createResponse(dependencies))
    const listed = { config: NO_SCOPE, preHandler: whenReady(dependencies.registry) }
    server.get('/v1/models', { schema: MODELS, ...listed }, listModels(dependencies))
    server.get<{ Params: ModelParams }>(
      '/v1/models/:model',
      { schema: MODEL, ...listed },
      showModel(dependencies),
    )
  }
}
