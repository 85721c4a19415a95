import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Chat, ChatInput, PreparedChat } from '../../prompts/chat.js'
import type { Conversation, ConversationRequest, Conversations } from '../../prompts/conversations.js'
import { type FoundPrompt, findPrompt } from '../../prompts/find-prompt.js'
import { requestVariables } from '../../prompts/request-variables.js'
import { staleWarning } from '../../prompts/stale-warning.js'
import type { Registry } from '../../registry/registry.js'
import { errorAnswers, IdParams } from '../../schema/api.js'
import { ChatAnswer, ChatBody, InlineChatBody } from '../../schema/chat-api.js'
import { copyInto } from '../../util/define.js'
import type { JsonObject, JsonValue } from '../../util/json.js'
import type { AnswerPrompt } from '../answer-prompt.js'
import { inlineBody } from '../inline-body.js'
import { callerOf, type PromptToRender, renderRequest } from '../render-request.js'
import type { RenderRoutesOptions } from './render.js'

export interface ChatRoutesOptions {
  readonly registry: Registry
  readonly conversations: Conversations
  readonly chat: Chat
  readonly answer: AnswerPrompt
  readonly compileInline: RenderRoutesOptions['compileInline']
}

const ANSWERS = { 200: ChatAnswer, ...errorAnswers(400, 401, 404, 413, 415, 429, 500, 502, 503) }

/** `POST /api/chat/prompts/{id}`, its alias for older clients, and `POST /api/chat`. */
export function chatRoutes(options: ChatRoutesOptions): FastifyPluginAsync {
  const { registry, chat, answer, conversations, compileInline } = options

  function chatRegistered(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { id } = request.params as IdParams
    request.logFields = { prompt: id }
    // A prompt without variables needs no body.
    request.body ??= {}
    const found = findPrompt(registry, id)
    if (found instanceof Promise) return found.then((each) => chatFound(each, request, reply))
    return chatFound(found, request, reply)
  }

  function chatFound(
    { snapshot, prompt }: FoundPrompt,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { definition, revision, id } = prompt
    const facts = { revision, logFields: { prompt: id } }
    const compiled = registry.compiled(snapshot, prompt)
    const found = { snapshot, definition, compiled, notes: staleWarning(snapshot, id) }
    const { compose } = request.body as ChatBody
    const prepared =
      compose === undefined
        ? prepare(found, request)
        : assemble({ items: compose, lead: id }, request).then((each) => prepare(found, request, each))
    if (!(prepared instanceof Promise)) return answer(prepared, facts, request, reply)
    return prepared.then((each) => answer(each, facts, request, reply))
  }

  async function chatInline(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const snapshot = registry.current
    const body = inlineBody(request.body)
    const prepared =
      body.kind === 'compose'
        ? chat.prepareConversation(await assemble({ items: body.items }, request), inputOf(request).input)
        : await prepare({ snapshot, ...(await compileInline(snapshot, body.prompt)) }, request)
    await answer(prepared, {}, request, reply)
  }

  function assemble(
    what: Pick<ConversationRequest, 'items' | 'lead'>,
    request: FastifyRequest,
  ): Promise<Conversation> {
    return conversations.compose({ ...what, ...callerOf(request), variables: inputOf(request).variables })
  }

  function prepare(
    prompt: PromptToRender,
    request: FastifyRequest,
    conversation?: Conversation,
  ): PreparedChat | Promise<PreparedChat> {
    const { variables, input } = inputOf(request)
    const all = conversation === undefined ? input : { ...input, conversation }
    return chat.prepare(renderRequest(prompt, variables, request), all)
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
    server.post('/api/chat/prompts/:id', { schema }, chatRegistered)
    server.post(
      '/api/prompts/:id/chat',
      { schema: { ...schema, summary: `${schema.summary} (alias for older clients)` } },
      chatRegistered,
    )
    server.post(
      '/api/chat',
      {
        schema: {
          tags: ['chat'],
          summary: 'Render a prompt given inline, or assemble a conversation, and call the model',
          description:
            'The same limits as for registered prompts; nothing is stored. `messages` follow what `compose` assembles.',
          body: InlineChatBody,
          response: ANSWERS,
        },
      },
      chatInline,
    )
  }
}

/** The body without what it renders: variables, and what is for the model. */
function inputOf(request: FastifyRequest): { readonly variables: JsonObject; readonly input: ChatInput } {
  const body = request.body as JsonObject
  const parameters: Record<string, JsonValue> = {}
  copyInto(parameters, body, NO_PARAMETERS)
  return {
    variables: requestVariables(body as ChatBody),
    input: { parameters, messages: (body['messages'] ?? []) as readonly JsonValue[] },
  }
}

const NO_PARAMETERS = new Set(['variables', 'args', 'prompt', 'compose', 'messages'])
