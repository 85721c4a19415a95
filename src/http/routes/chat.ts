import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Chat, ChatPrompt, PreparedChat } from '../../prompts/chat.js'
import { findPrompt } from '../../prompts/find-prompt.js'
import { requestVariables } from '../../prompts/request-variables.js'
import type { Registry } from '../../registry/registry.js'
import { errorAnswers, IdParams } from '../../schema/api.js'
import { ChatAnswer, ChatBody, InlineChatBody } from '../../schema/chat-api.js'
import type { JsonObject, JsonValue } from '../../util/json.js'
import type { PromptAnswers } from '../answer-prompt.js'
import { clientSignal, traceparentOf } from '../request-context.js'
import type { RenderRoutesOptions } from './render.js'

export interface ChatRoutesOptions {
  readonly registry: Registry
  readonly chat: Chat
  readonly answers: PromptAnswers
  readonly compileInline: RenderRoutesOptions['compileInline']
}

const ANSWERS = { 200: ChatAnswer, ...errorAnswers(400, 401, 404, 413, 415, 429, 500, 502, 503) }

/** `POST /api/chat/prompts/{id}`, its alias for older clients, and `POST /api/chat`. */
export function chatRoutes(options: ChatRoutesOptions): FastifyPluginAsync {
  const { registry, chat, answers } = options

  async function chatRegistered(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { id } = request.params as IdParams
    const logFields = { prompt: id }
    request.logFields = logFields
    const { snapshot, prompt } = await findPrompt(registry, id)
    const { definition, revision } = prompt
    const compiled = registry.compiled(snapshot, prompt)
    const prepared = await prepare({ snapshot, definition, compiled }, request)
    await answers.answer(prepared, { revision, logFields }, request, reply)
  }

  async function chatInline(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const snapshot = registry.current
    // The schema says that it is an object, parsed from JSON.
    const { prompt } = request.body as { readonly prompt: JsonObject }
    const prepared = await prepare({ snapshot, ...options.compileInline(snapshot, prompt) }, request)
    await answers.answer(prepared, {}, request, reply)
  }

  function prepare(prompt: ChatPrompt, request: FastifyRequest): Promise<PreparedChat> {
    const { variables, args, prompt: _inline, messages, ...parameters } = request.body as JsonObject
    return chat.prepare(prompt, renderOptions(request, requestVariables({ variables, args } as ChatBody)), {
      parameters,
      messages: (messages ?? []) as readonly JsonValue[],
    })
  }

  return async (server) => {
    const schema = {
      tags: ['chat'],
      summary: 'Render a registered prompt and call the model',
      description: 'A `userPrompt` is sent as one user message.',
      params: IdParams,
      body: ChatBody,
      response: ANSWERS,
    }
    server.post('/api/chat/prompts/:id', { schema, preValidation: emptyBody }, chatRegistered)
    server.post(
      '/api/prompts/:id/chat',
      {
        schema: { ...schema, summary: `${schema.summary} (alias for older clients)` },
        preValidation: emptyBody,
      },
      chatRegistered,
    )
    server.post(
      '/api/chat',
      {
        schema: {
          tags: ['chat'],
          summary: 'Render a prompt given inline and call the model',
          description: 'The same limits as for registered prompts; nothing is stored.',
          body: InlineChatBody,
          response: ANSWERS,
        },
      },
      chatInline,
    )
  }
}

/** What a render needs of the HTTP request. */
export function renderOptions(request: FastifyRequest, variables: JsonObject) {
  return {
    variables,
    requestId: request.id,
    traceparent: traceparentOf(request),
    clientSignal: () => clientSignal(request),
  }
}

/** A prompt without variables needs no body. */
function emptyBody(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (request.body === undefined) request.body = {}
  done()
}
