import type { FastifyPluginAsync } from 'fastify'
import { idParams } from '../../schema/api.js'
import { BODY_ERRORS, CATALOG_ERRORS, errorAnswers } from '../../schema/error-answers.js'
import { SavedAnswer, SourceAnswer, SourceBody } from '../../schema/source-api.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { type SourceDependencies, saveSource, showSource } from '../handlers/show-source.js'
import { whenReady } from '../requests/when-ready.js'

const common = { tags: ['catalog'], params: idParams('review.code_review') }

const SHOW = {
  ...common,
  operationId: 'showSource',
  summary: 'Read the source of a prompt',
  description:
    'The text of its document as its author wrote it, with comments. Prompts of extensions have no document of their own.',
  response: { 200: SourceAnswer, ...errorAnswers(...CATALOG_ERRORS, 'prompt_not_found') },
}

const SAVE = {
  ...common,
  operationId: 'saveSource',
  summary: 'Write the source of a prompt',
  description:
    'Off unless `PAGE_SAVE` is set, for catalogs in a directory of this machine. Needs the scope `admin`. What does not parse or compile is not written.',
  body: SourceBody,
  response: {
    200: SavedAnswer,
    ...errorAnswers(
      ...BODY_ERRORS,
      'invalid_prompt',
      'template_syntax',
      'prompt_not_found',
      'revision_changed',
    ),
  },
}

/** `GET` and `PUT /api/prompts/{id}/source`. */
export function sourceRoutes(dependencies: SourceDependencies): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'read')
    server.addHook('preHandler', whenReady(dependencies.registry))
    server.get('/api/prompts/:id/source', { schema: SHOW }, showSource(dependencies))
    server.put(
      '/api/prompts/:id/source',
      { schema: SAVE, config: { scopes: ['admin'] } },
      saveSource(dependencies),
    )
  }
}
