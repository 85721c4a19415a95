import type { FastifyPluginAsync } from 'fastify'
import type { Registry } from '../../registry/registry.js'
import { DETAIL_ANSWERS, EnvironAnswer, idParams, ListAnswer, ListQuery } from '../../schema/api.js'
import { CATALOG_ERRORS, errorAnswers } from '../../schema/error-answers.js'
import { Type } from '../../schema/type.js'
import { compressLarge } from '../answers/compress-large.js'
import { showAgent, showExtension, showPrompt, showTool } from '../catalog/details.js'
import { AGENTS, ENVIRONS, type Entry, EXTENSIONS, PROMPTS, type Shelf, TOOLS } from '../catalog/shelf.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { listEntries } from '../handlers/list-entries.js'
import { showEntry } from '../handlers/show-entry.js'
import { showEnvironValue } from '../handlers/show-environ.js'
import { whenReady } from '../requests/when-ready.js'

/** Lists and details of extensions, prompts, environs, tools and agents. */
export function catalogRoutes({ registry }: { readonly registry: Registry }): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'read')
    server.addHook('preHandler', whenReady(registry))
    server.get<List>('/api/extensions', listOptions(EXTENSIONS), listEntries(registry, EXTENSIONS))
    server.get<List>('/api/prompts', listOptions(PROMPTS), listEntries(registry, PROMPTS))
    server.get<List>('/api/environs', listOptions(ENVIRONS), listEntries(registry, ENVIRONS))
    server.get<List>('/api/tools', listOptions(TOOLS), listEntries(registry, TOOLS))
    server.get<List>('/api/agents', listOptions(AGENTS), listEntries(registry, AGENTS))
    server.get(
      '/api/extensions/:id',
      detailSchema(EXTENSIONS, DETAIL_ANSWERS.extension),
      showEntry(registry, EXTENSIONS, showExtension),
    )
    server.get(
      '/api/prompts/:id',
      detailSchema(PROMPTS, DETAIL_ANSWERS.prompt),
      showEntry(registry, PROMPTS, showPrompt),
    )
    server.get('/api/environs/:id', detailSchema(ENVIRONS, EnvironAnswer), showEnvironValue(registry))
    server.get(
      '/api/tools/:id',
      detailSchema(TOOLS, DETAIL_ANSWERS.tool),
      showEntry(registry, TOOLS, showTool),
    )
    server.get(
      '/api/agents/:id',
      detailSchema(AGENTS, DETAIL_ANSWERS.agent),
      showEntry(registry, AGENTS, showAgent),
    )
  }
}

/** What the lists read of a request. */
interface List {
  readonly Querystring: ListQuery
}

/** Of the details, which carry an `ETag`. */
const UNCHANGED = { 304: Type.Null({ description: 'Unchanged since the answer that `If-None-Match` names' }) }

function listOptions<Item extends Entry>({ noun }: Shelf<Item>) {
  const schema = {
    operationId: `list${capitalised(noun)}s`,
    tags: ['catalog'],
    summary: `List ${noun}s`,
    description: 'Sorted by id, in pages. `q` searches ids, names and descriptions.',
    querystring: ListQuery,
    response: { 200: ListAnswer, ...errorAnswers(...CATALOG_ERRORS) },
  }
  return { schema, onSend: compressLarge } as const
}

function detailSchema<Item extends Entry>(shelf: Shelf<Item>, answer: object) {
  const schema = {
    operationId: `get${capitalised(shelf.noun)}`,
    tags: ['catalog'],
    summary: `Show one ${shelf.noun}`,
    description:
      'Its document, and what is wrong with it. With the `ETag` of an earlier answer in `If-None-Match`, 304 while that is the same.',
    params: idParams(shelf.example),
    response: { 200: answer, ...UNCHANGED, ...errorAnswers(...CATALOG_ERRORS, `${shelf.noun}_not_found`) },
  }
  return { schema }
}

function capitalised(noun: string): string {
  return noun.charAt(0).toUpperCase() + noun.slice(1)
}
