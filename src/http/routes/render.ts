import type { FastifyPluginAsync } from 'fastify'
import {
  AliasRenderAnswer,
  AliasRenderBody,
  InlineRenderBody,
  idParams,
  RegisteredRenderQuery,
  RenderAnswer,
  RenderBody,
  RenderQuery,
} from '../../schema/api.js'
import { errorAnswers, INLINE_ERRORS, RENDER_ERRORS } from '../../schema/error-answers.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { type RenderHandlerDependencies, renderInline, renderRegistered } from '../handlers/render-prompt.js'
import { whenReady } from '../requests/when-ready.js'

const REGISTERED = {
  operationId: 'renderPrompt',
  tags: ['render'],
  summary: 'Render a registered prompt',
  description:
    'Text for a `userPrompt`, a list of messages for `messages`. Tools that fail, variables the prompt does not know, and a prompt that is older than its document are listed in `warnings`.',
  params: idParams('review.commit_message'),
  querystring: RegisteredRenderQuery,
  body: RenderBody,
  response: { 200: RenderAnswer, ...errorAnswers(...RENDER_ERRORS) },
}

const ALIAS = {
  ...REGISTERED,
  operationId: 'renderPromptLegacy',
  deprecated: true,
  summary: 'Render a registered prompt (for clients of the Go original)',
  description:
    'The answer also names the result `prompt` or `messages`; errors also have `code`, `message` and `success`. Unknown fields of the body are ignored.',
  body: AliasRenderBody,
  response: { 200: AliasRenderAnswer, ...errorAnswers(...RENDER_ERRORS) },
}

const INLINE = {
  operationId: 'renderInline',
  tags: ['render'],
  summary: 'Render a prompt given inline, or assemble a conversation',
  description:
    'The same limits as for registered prompts; nothing is stored. `compose` joins texts, registered prompts and content parts into one checked conversation.',
  querystring: RenderQuery,
  body: InlineRenderBody,
  response: { 200: RenderAnswer, ...errorAnswers(...RENDER_ERRORS, ...INLINE_ERRORS) },
}

/** `POST /api/render/prompts/{id}`, its alias of the Go original, and `POST /api/render`. */
export function renderRoutes(shared: Omit<RenderHandlerDependencies, 'isAlias'>): FastifyPluginAsync {
  const dependencies = { ...shared, isAlias: false }
  return async (server) => {
    needsScopes(server, 'render')
    const registered = renderRegistered(dependencies)
    const aliased = renderRegistered({ ...shared, isAlias: true })
    server.post('/api/render/prompts/:id', { schema: REGISTERED }, registered)
    server.post('/api/prompts/:id/render', { schema: ALIAS, config: { alias: true } }, aliased)
    server.post<{ Body: RenderBody; Querystring: RenderQuery }>(
      '/api/render',
      { schema: INLINE, config: { scopes: ['inline'] }, preHandler: whenReady(dependencies.registry) },
      renderInline(dependencies),
    )
  }
}
