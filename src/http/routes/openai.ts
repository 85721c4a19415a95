import type { FastifyPluginAsync } from 'fastify'
import { AnthropicModel, AnthropicModelPage } from '../../schema/anthropic-api.js'
import {
  ChatAnswer,
  ChatCompletionChunk,
  CompletionsBody,
  EmbeddingsAnswer,
  EmbeddingsBody,
  ModelEntry,
  ModelList,
  ModelParams,
  ModelQuery,
  ResponseAnswer,
  ResponsesBody,
} from '../../schema/chat-api.js'
import {
  BODY_ERRORS,
  ENTRY_ERRORS,
  errorAnswers,
  MODEL_ERRORS,
  RENDER_ERRORS,
} from '../../schema/error-answers.js'
import { answerOrChunks, answerOrStream, ProtocolEvent } from '../../schema/streams.js'
import { Type } from '../../schema/type.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { type CompletionDependencies, createCompletion } from '../handlers/create-completion.js'
import { createEmbeddings } from '../handlers/create-embeddings.js'
import { createResponse, type ResponseDependencies } from '../handlers/create-response.js'
import { listModels, type ModelListDependencies, showModel } from '../handlers/list-models.js'
import { whenReady } from '../requests/when-ready.js'

const ERRORS = errorAnswers(...RENDER_ERRORS, 'invalid_sequence', ...MODEL_ERRORS)
const RESPONSE_ERRORS = errorAnswers(
  ...RENDER_ERRORS,
  ...(['previous_response_not_found', 'conversation_not_found', 'item_not_found'] as const),
  'invalid_sequence',
  ...MODEL_ERRORS,
)

const COMPLETIONS = {
  operationId: 'createChatCompletion',
  tags: ['openai'],
  summary: 'Chat completions, with a model, a registered prompt or an agent',
  description:
    'With `model: "prompt:<id>"` or `prompt: {id, version?, variables?}` the prompt is rendered and `messages` follow it; `model: "agent:<id>"` answers with an agent, whose tools run here. Anything else goes to the model as it is.',
  body: CompletionsBody,
  response: {
    200: answerOrChunks(
      ChatAnswer,
      ChatCompletionChunk,
      'The model’s answer, or its chunks with `stream: true`',
    ),
    ...ERRORS,
  },
}

const RESPONSES = {
  operationId: 'createResponse',
  tags: ['openai'],
  summary: 'Responses, with a model, a registered prompt or an agent',
  description:
    'Takes `prompt: {id, version?, variables?}`, as OpenAI’s reusable prompts. Mapped onto chat completions where the upstream has no such interface. With `store: true` the response is kept: `previous_response_id` continues it, on any replica and with any model. `conversation` adds to a conversation, and is 409 `conversation_locked` while another response does.',
  body: ResponsesBody,
  response: {
    200: answerOrStream(
      ResponseAnswer,
      ProtocolEvent,
      'The response, or its typed events with `stream: true`',
    ),
    ...RESPONSE_ERRORS,
  },
}

const EMBEDDINGS = {
  operationId: 'createEmbeddings',
  tags: ['openai'],
  summary: 'Embeddings, of a model whose upstream has them',
  description: 'The body goes to the upstream unchanged, and its answer comes back unchanged.',
  body: EmbeddingsBody,
  response: { 200: EmbeddingsAnswer, ...errorAnswers(...BODY_ERRORS, ...MODEL_ERRORS) },
}

const MODELS = {
  operationId: 'listModels',
  tags: ['openai'],
  summary: 'Models, prompts and agents',
  description:
    'Of an upstream that a route with `*` sends models to, its own list has those that match too; it is kept for a minute. With the header `anthropic-version` the list comes in pages of Anthropic’s shape.',
  querystring: ModelQuery,
  response: {
    200: Type.Union([ModelList, AnthropicModelPage]),
    ...errorAnswers(...ENTRY_ERRORS, 'invalid_request', 'not_ready'),
  },
}

const MODEL = {
  operationId: 'getModel',
  tags: ['openai'],
  summary: 'One model, prompt or agent',
  description: 'With the header `anthropic-version` in Anthropic’s shape.',
  params: ModelParams,
  response: {
    200: Type.Union([ModelEntry, AnthropicModel]),
    ...errorAnswers(...ENTRY_ERRORS, 'prompt_not_found', 'not_ready'),
  },
}

/** Anybody who has a key may ask: the answer has what the key may see. */
const NO_SCOPE = { scopes: [] }

/** What any OpenAI client speaks: `/v1/chat/completions`, `/v1/responses`, `/v1/embeddings` and `/v1/models`. */
export function openAiRoutes(
  dependencies: CompletionDependencies & ResponseDependencies & ModelListDependencies,
): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'chat')
    const passedOn = { config: { keepsBytes: true } }
    server.post('/v1/chat/completions', { schema: COMPLETIONS, ...passedOn }, createCompletion(dependencies))
    server.post('/v1/responses', { schema: RESPONSES }, createResponse(dependencies))
    server.post('/v1/embeddings', { schema: EMBEDDINGS, ...passedOn }, createEmbeddings(dependencies))
    const listed = { config: NO_SCOPE, preHandler: whenReady(dependencies.registry) }
    server.get<{ Querystring: ModelQuery }>(
      '/v1/models',
      { schema: MODELS, ...listed },
      listModels(dependencies),
    )
    server.get<{ Params: ModelParams }>(
      '/v1/models/:model',
      { schema: MODEL, ...listed },
      showModel(dependencies),
    )
  }
}
