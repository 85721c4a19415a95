import type { FastifyPluginAsync } from 'fastify'
import { ChoiceQuery, idParams } from '../../schema/api.js'
import {
  AliasChatBody,
  ChatAnswer,
  ChatBody,
  ChatCompletionChunk,
  InlineChatBody,
} from '../../schema/chat-api.js'
import { errorAnswers, INLINE_ERRORS, MODEL_ERRORS, RENDER_ERRORS } from '../../schema/error-answers.js'
import { answerOrChunks } from '../../schema/streams.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { type ChatHandlerDependencies, chatInline, chatRegistered } from '../handlers/chat-prompt.js'
import { whenReady } from '../requests/when-ready.js'

const REGISTERED = {
  operationId: 'chatWithPrompt',
  tags: ['chat'],
  summary: 'Render a registered prompt and call the model',
  description:
    'A `userPrompt` is sent as one user message. `x-prompt-warnings` counts tools that failed while it rendered.',
  params: idParams('translator.translate_zh_en'),
  querystring: ChoiceQuery,
  body: ChatBody,
  response: {
    200: answerOrChunks(
      ChatAnswer,
      ChatCompletionChunk,
      'The model’s answer, or its chunks with `stream: true`',
    ),
    ...errorAnswers(...RENDER_ERRORS, 'invalid_sequence', ...MODEL_ERRORS),
  },
}

const ALIAS = {
  ...REGISTERED,
  operationId: 'chatWithPromptLegacy',
  deprecated: true,
  summary: 'Render a registered prompt and call the model (for clients of the Go original)',
  description:
    'Errors also have `code`, `message` and `success`; `args: null` and `model: ""` count as absent.',
  body: AliasChatBody,
}

const INLINE = {
  operationId: 'chatInline',
  tags: ['chat'],
  summary: 'Render a prompt given inline, or assemble a conversation, and call the model',
  description:
    'The same limits as for registered prompts; nothing is stored. `messages` follow what `compose` assembles.',
  body: InlineChatBody,
  response: {
    200: answerOrChunks(
      ChatAnswer,
      ChatCompletionChunk,
      'The model’s answer, or its chunks with `stream: true`',
    ),
    ...errorAnswers(...RENDER_ERRORS, ...INLINE_ERRORS, ...MODEL_ERRORS),
  },
}

/** `POST /api/chat/prompts/{id}`, its alias of the Go original, and `POST /api/chat`. */
export function chatRoutes(dependencies: ChatHandlerDependencies): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'chat')
    const registered = chatRegistered(dependencies)
    server.post('/api/chat/prompts/:id', { schema: REGISTERED }, registered)
    server.post('/api/prompts/:id/chat', { schema: ALIAS, config: { alias: true } }, registered)
    server.post<{ Body: ChatBody }>(
      '/api/chat',
      {
        schema: INLINE,
        config: { scopes: ['chat', 'inline'] },
        preHandler: whenReady(dependencies.registry),
      },
      chatInline(dependencies),
    )
  }
}
