import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { visibleSnapshot } from '../../access/visible-snapshot.js'
import { searchCatalog } from '../../prompts/search-catalog.js'
import type { Registry } from '../../registry/registry.js'
import { CATALOG_ERRORS, errorAnswers } from '../../schema/error-answers.js'
import { SearchAnswer, SearchQuery } from '../../schema/search-api.js'
import { accessOf } from '../doors/caller.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { whenReady } from '../requests/when-ready.js'

const SEARCH = {
  operationId: 'searchTexts',
  tags: ['catalog'],
  summary: 'Search the texts of the catalog',
  description:
    'In templates, shared variables, descriptions of tools and instructions of agents. If no text has the words, words that differ in one or two letters are searched for.',
  querystring: SearchQuery,
  response: { 200: SearchAnswer, ...errorAnswers(...CATALOG_ERRORS) },
}

/** `GET /api/search`. */
export function searchRoutes({ registry }: { readonly registry: Registry }): FastifyPluginAsync {
  function searchTexts(request: FastifyRequest<{ Querystring: SearchQuery }>): Promise<object> {
    const { q = '', limit } = request.query
    return searchCatalog(visibleSnapshot(accessOf(request), registry, registry.current), q, limit)
  }

  return async (server) => {
    needsScopes(server, 'read')
    server.addHook('preHandler', whenReady(registry))
    server.get('/api/search', { schema: SEARCH }, searchTexts)
  }
}
