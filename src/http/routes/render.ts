import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.js'
import type { ConversationRequest, Conversations } from '../../prompts/conversations.js'
import { explainRender } from '../../prompts/explain.js'
import { type FoundPrompt, findPrompt } from '../../prompts/find-prompt.js'
import type { InlinePrompt } from '../../prompts/inline-prompt.js'
import type { Renderer, RenderRequest } from '../../prompts/render.js'
import { requestVariables } from '../../prompts/request-variables.js'
import { staleWarning } from '../../prompts/stale-warning.js'
import type { Registry } from '../../registry/registry.js'
import type { Snapshot } from '../../registry/snapshot.js'
import {
  errorAnswers,
  IdParams,
  InlineRenderBody,
  RenderAnswer,
  RenderBody,
  RenderQuery,
} from '../../schema/api.js'
import type { JsonObject } from '../../util/json.js'
import { inlineBody } from '../inline-body.js'
import { toJsonText } from '../json-text.js'
import { callerOf, renderRequest } from '../render-request.js'
import { sendRendered } from '../send-rendered.js'

export interface RenderRoutesOptions {
  readonly registry: Registry
  readonly renderer: Renderer
  readonly conversations: Conversations
  /** Reads and compiles a prompt that a request brings along. @throws ServiceError invalid_prompt, TemplateError */
  readonly compileInline: (snapshot: Snapshot, document: JsonObject) => InlinePrompt | Promise<InlinePrompt>
}

const ANSWERS = { 200: RenderAnswer, ...errorAnswers(400, 401, 404, 413, 415, 429, 500, 503) }

/** `POST /api/render/prompts/{id}`, its alias for older clients, and `POST /api/render`. */
export function renderRoutes(options: RenderRoutesOptions): FastifyPluginAsync {
  const { registry, renderer, conversations, compileInline } = options

  function renderRegistered(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const { id } = request.params as IdParams
    request.logFields = { prompt: id }
    // A prompt without variables needs no body.
    request.body ??= {}
    const found = findPrompt(registry, id)
    if (found instanceof Promise) return found.then((each) => renderFound(each, request, reply))
    return renderFound(found, request, reply)
  }

  function renderFound(
    { snapshot, prompt }: FoundPrompt,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> | undefined {
    const { definition, revision, id } = prompt
    const { compose } = request.body as RenderBody
    if (compose !== undefined) return renderConversation({ items: compose, lead: id }, request, reply)
    const compiled = registry.compiled(snapshot, prompt)
    const variables = requestVariables(request.body as RenderBody)
    const render = renderRequest(
      { snapshot, definition, compiled, notes: staleWarning(snapshot, id) },
      variables,
      request,
    )
    return answer(render, revision, request, reply)
  }

  function renderInline(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const snapshot = registry.current
    const inline = inlineBody(request.body)
    if (inline.kind === 'compose') return renderConversation({ items: inline.items }, request, reply)
    const variables = requestVariables(request.body as RenderBody)
    const render = (prompt: InlinePrompt) =>
      answer(renderRequest({ snapshot, ...prompt }, variables, request), undefined, request, reply)
    const prompt = compileInline(snapshot, inline.prompt)
    return prompt instanceof Promise ? prompt.then(render) : render(prompt)
  }

  async function renderConversation(
    what: Pick<ConversationRequest, 'items' | 'lead'>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { explain, dry_run } = request.query as RenderQuery
    if (explain || dry_run) throw notForConversations()
    const variables = requestVariables(request.body as RenderBody)
    const { messages, warnings } = await conversations.compose({ ...what, ...callerOf(request), variables })
    sendRendered(
      request,
      reply,
      { kind: 'messages', json: toJsonText(messages), isAscii: false, warnings },
      undefined,
    )
  }

  function answer(
    render: RenderRequest,
    revision: string | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> | undefined {
    const { explain, dry_run: dryRun } = request.query as RenderQuery
    if (explain || dryRun) return explained(render, { explain, dryRun }, revision, request, reply)
    const rendered = renderer.renderJson(render)
    if (!(rendered instanceof Promise)) return void sendRendered(request, reply, rendered, revision)
    return rendered.then((each) => sendRendered(request, reply, each, revision))
  }

  async function explained(
    render: RenderRequest,
    { explain, dryRun }: { readonly explain: boolean; readonly dryRun: boolean },
    revision: string | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { rendered, explanation } = await explainRender(render, { renderer, dryRun, now: Date.now })
    sendRendered(request, reply, rendered, revision, explain ? explanation : undefined)
  }

  return async (server) => {
    const registered = {
      schema: {
        tags: ['render'],
        summary: 'Render a registered prompt',
        description:
          'Text for a `userPrompt`, a list of messages for `messages`. Tools that fail, variables the prompt does not know, and a prompt that is older than its document are listed in `warnings`.',
        params: IdParams,
        querystring: RenderQuery,
        body: RenderBody,
        response: ANSWERS,
      },
    }
    server.post('/api/render/prompts/:id', registered, renderRegistered)
    server.post(
      '/api/prompts/:id/render',
      {
        ...registered,
        schema: { ...registered.schema, summary: 'Render a registered prompt (alias for older clients)' },
      },
      renderRegistered,
    )
    server.post(
      '/api/render',
      {
        schema: {
          tags: ['render'],
          summary: 'Render a prompt given inline, or assemble a conversation',
          description:
            'The same limits as for registered prompts; nothing is stored. `compose` joins texts, registered prompts and content parts into one checked conversation.',
          querystring: RenderQuery,
          body: InlineRenderBody,
          response: ANSWERS,
        },
      },
      renderInline,
    )
  }
}

function notForConversations(): ServiceError {
  return new ServiceError('invalid_request', '`explain` and `dry_run` take a `prompt`, not `compose`', {
    param: 'compose',
  })
}
