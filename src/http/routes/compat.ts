import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyPluginAsync } from 'fastify'
import { idParams } from '../../schema/api.js'
import { ChatAnswer, ChatCompletionChunk } from '../../schema/chat-api.js'
import {
  LangfusePrompt,
  LangfusePromptParams,
  LangfusePromptQuery,
  PortkeyBody,
  PortkeyRendered,
} from '../../schema/compat-api.js'
import { CATALOG_ERRORS, errorAnswers, MODEL_ERRORS, RENDER_ERRORS } from '../../schema/error-answers.js'
import { answerOrChunks } from '../../schema/streams.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { answerPortkey, type PortkeyDependencies, renderPortkey } from '../handlers/answer-portkey.js'
import { sendLangfuseError, showLangfusePrompt } from '../handlers/show-langfuse-prompt.js'
import { whenReady } from '../requests/when-ready.js'

const LANGFUSE = {
  operationId: 'getLangfusePrompt',
  tags: ['compatibility'],
  summary: 'A prompt for clients of Langfuse',
  description:
    'For `getPrompt(name, {label, version})` of unmodified clients, whose base URL is `/compat/langfuse`. Prompts of text and plain variables only; others are 409 `prompt_not_portable`. The API key is the secret key of basic authentication.',
  params: LangfusePromptParams,
  querystring: LangfusePromptQuery,
  response: {
    200: LangfusePrompt,
    ...errorAnswers(
      ...CATALOG_ERRORS,
      ...(['prompt_not_found', 'version_not_found', 'label_not_found', 'prompt_not_portable'] as const),
    ),
  },
}

const ERRORS = errorAnswers(...RENDER_ERRORS, 'invalid_sequence', ...MODEL_ERRORS)
const COMPLETIONS = {
  operationId: 'createPromptCompletion',
  tags: ['compatibility'],
  summary: 'Answer with a registered prompt, for clients of Portkey',
  description:
    'As `/v1/chat/completions` with `prompt: {id, variables}`. The id may name a version, a label, or `@latest`. The API key may be in `x-portkey-api-key`.',
  params: idParams('review.commit_message'),
  body: PortkeyBody,
  response: {
    200: answerOrChunks(
      ChatAnswer,
      ChatCompletionChunk,
      'The model’s answer, or its chunks with `stream: true`',
    ),
    ...ERRORS,
  },
}

const RENDER = {
  operationId: 'renderPromptForModel',
  tags: ['compatibility'],
  summary: 'What a registered prompt sends to its model, for clients of Portkey',
  description: 'Renders as `POST …/completions` does, and asks no model.',
  params: idParams('review.commit_message'),
  body: PortkeyBody,
  response: { 200: PortkeyRendered, ...ERRORS },
}

/** Paths of other services, for their unmodified clients. */
export function compatRoutes(dependencies: PortkeyDependencies): FastifyPluginAsync {
  return async (server) => {
    await server.register(async (langfuse) => {
      needsScopes(langfuse, 'read')
      langfuse.setErrorHandler(sendLangfuseError)
      langfuse.addHook('preHandler', whenReady(dependencies.registry))
      langfuse.get(
        '/compat/langfuse/api/public/v2/prompts/:name',
        { schema: LANGFUSE, config: { foreignKey: secretKey } },
        showLangfusePrompt(dependencies),
      )
    })
    needsScopes(server, 'chat')
    const config = { foreignKey: portkeyKey }
    server.post('/v1/prompts/:id/completions', { schema: COMPLETIONS, config }, answerPortkey(dependencies))
    server.post(
      '/v1/prompts/:id/render',
      { schema: RENDER, config: { ...config, scopes: ['render'] } },
      renderPortkey(dependencies),
    )
  }
}

/** Of basic authentication the second half; the first, Langfuse's public key, may be anything. */
function secretKey({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization)?.[1]
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8')
  const start = text.indexOf(':')
  return start < 0 || start === text.length - 1 ? undefined : text.slice(start + 1)
}

function portkeyKey({ 'x-portkey-api-key': key }: IncomingHttpHeaders): string | undefined {
  return typeof key === 'string' && key !== '' ? key : undefined
}
