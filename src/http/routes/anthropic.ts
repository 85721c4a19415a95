import type { FastifyPluginAsync } from 'fastify'
import {
  AnthropicEvent,
  CountTokensBody,
  MessageAnswer,
  MessagesBody,
  TokenCount,
} from '../../schema/anthropic-api.js'
import { anthropicErrorAnswers, RENDER_ERRORS } from '../../schema/error-answers.js'
import { answerOrStream } from '../../schema/streams.js'
import { countMessageTokens } from '../anthropic/count-message-tokens.js'
import { createMessage } from '../anthropic/create-message.js'
import { needsScopes } from '../doors/needs-scopes.js'
import type { CompletionDependencies } from '../handlers/create-completion.js'

const ERRORS = anthropicErrorAnswers(
  ...RENDER_ERRORS,
  'invalid_sequence',
  'llm_rejected',
  'llm_unavailable',
  'llm_bad_response',
)

const MESSAGES = {
  operationId: 'createMessage',
  tags: ['anthropic'],
  summary: 'Messages, with a model, a registered prompt or an agent',
  description:
    'What clients of Anthropic send: content blocks, tools, thinking, streams. Nothing of the request is stored. Tools that run at Anthropic are refused by name.',
  body: MessagesBody,
  response: {
    200: answerOrStream(MessageAnswer, AnthropicEvent, 'The message, or its events with `stream: true`'),
    ...ERRORS,
  },
}

const COUNT_TOKENS = {
  operationId: 'countMessageTokens',
  tags: ['anthropic'],
  summary: 'Count the tokens of a request',
  description:
    'Counted here, in the o200k_base encoding: no model is asked. Images and files count nothing. With `prompt:<id>` as model, those of the rendered prompt are included.',
  body: CountTokensBody,
  response: { 200: TokenCount, ...ERRORS },
}

/** The failures of these routes have Anthropic's shape. */
const OWN_SHAPE = { anthropic: true }

/** What clients of Anthropic speak: `/v1/messages` and `/v1/messages/count_tokens`. */
export function anthropicRoutes(dependencies: CompletionDependencies): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'chat')
    const config = OWN_SHAPE
    server.post('/v1/messages', { schema: MESSAGES, config }, createMessage(dependencies))
    server.post(
      '/v1/messages/count_tokens',
      { schema: COUNT_TOKENS, config },
      countMessageTokens(dependencies),
    )
  }
}
