import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, ServiceError } from '../../errors.js'
import type { AgentDefinition } from '../../registry/agent-definition.js'
import type { Registry } from '../../registry/registry.js'
import type {
  AgentEntry,
  Diagnostic,
  EnvironEntry,
  ExtensionEntry,
  PromptEntry,
  Snapshot,
  SnapshotMap,
  ToolEntry,
} from '../../registry/snapshot.js'
import { filterInPieces } from '../../registry/sort-in-pieces.js'
import {
  DetailAnswer,
  EnvironAnswer,
  errorAnswers,
  IdParams,
  ListAnswer,
  ListQuery,
} from '../../schema/api.js'
import type { Kind } from '../../store/store.js'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../util/json.js'
import { didYouMean, nearNames } from '../../util/near-names.js'
import { createSlicer, inSlices, type Slicer } from '../../util/pause.js'
import { type BrokenDocument, brokenDocuments } from '../broken-documents.js'
import { jsonPieces } from '../json-pieces.js'

type Entry = ExtensionEntry | PromptEntry | EnvironEntry | ToolEntry | AgentEntry

/** How one kind is listed and shown. */
interface Shelf<Item extends Entry> {
  readonly path: string
  readonly noun: string
  readonly kind: Kind
  readonly notFound: ErrorCode
  readonly items: (snapshot: Snapshot) => SnapshotMap<Item>
  readonly summary: (item: Item) => JsonObject
  readonly supports: (item: Item) => readonly string[] | undefined
}

const EXTENSIONS: Shelf<ExtensionEntry> = {
  path: '/api/extensions',
  noun: 'extension',
  kind: 'extensions',
  notFound: 'extension_not_found',
  items: ({ extensions }) => extensions,
  summary: ({ document }) => ({
    ...pick(document, ['name', 'displayName', 'description', 'version', 'publisher']),
    prompts: contributed(document).map((prompt) => own(prompt, 'name') ?? null),
  }),
  supports: ({ document }) => [
    ...new Set(contributed(document).flatMap((prompt) => strings(prompt, 'supports'))),
  ],
}

const PROMPTS: Shelf<PromptEntry> = {
  path: '/api/prompts',
  noun: 'prompt',
  kind: 'templates',
  notFound: 'prompt_not_found',
  items: ({ prompts }) => prompts,
  summary: ({ origin, extension, definition }) => ({
    name: definition.name,
    description: definition.description,
    kind: definition.body.kind,
    origin,
    ...(extension === undefined ? {} : { extension }),
    supports: definition.supports,
  }),
  supports: ({ definition }) => definition.supports,
}

const ENVIRONS: Shelf<EnvironEntry> = {
  path: '/api/environs',
  noun: 'environ',
  kind: 'environs',
  notFound: 'environ_not_found',
  items: ({ environs }) => environs,
  summary: ({ value }) => ({ type: typeOf(value) }),
  supports: () => undefined,
}

const TOOLS: Shelf<ToolEntry> = {
  path: '/api/tools',
  noun: 'tool',
  kind: 'tools',
  notFound: 'tool_not_found',
  items: ({ tools }) => tools,
  summary: ({ functionName, definition }) => ({
    name: definition.name,
    function: functionName,
    module: definition.module,
    type: definition.connection.type,
    description: definition.description,
    supports: definition.supports,
  }),
  supports: ({ definition }) => definition.supports,
}

const AGENTS: Shelf<AgentEntry> = {
  path: '/api/agents',
  noun: 'agent',
  kind: 'agents',
  notFound: 'agent_not_found',
  items: ({ agents }) => agents,
  summary: ({ definition: { name, description, model, tools, protocol, agentRole } }) => ({
    ...{ name, description, tools, protocol, role: agentRole },
    ...(model !== undefined && { model }),
  }),
  supports: () => undefined,
}

/** Lists and details of extensions, prompts, environs, tools and agents. */
export function catalogRoutes({ registry }: { readonly registry: Registry }): FastifyPluginAsync {
  return async (server) => {
    addList(server, registry, EXTENSIONS)
    addList(server, registry, PROMPTS)
    addList(server, registry, ENVIRONS)
    addList(server, registry, TOOLS)
    addList(server, registry, AGENTS)
    addDetail(server, EXTENSIONS, ({ id }) => {
      const snapshot = ready(registry)
      return showExtension(snapshot, id) ?? broken(snapshot, EXTENSIONS, id)
    })
    addDetail(server, PROMPTS, async ({ id }) => {
      const snapshot = ready(registry)
      const found = showPrompt(snapshot, id) ?? showPrompt(await registry.readThrough(id), id)
      return found ?? broken(registry.current, PROMPTS, id)
    })
    addEnviron(server, registry)
    addDetail(server, TOOLS, ({ id }) => {
      const snapshot = ready(registry)
      return showTool(snapshot, id) ?? broken(snapshot, TOOLS, id)
    })
    addDetail(server, AGENTS, ({ id }) => {
      const snapshot = ready(registry)
      return showAgent(snapshot, id) ?? broken(snapshot, AGENTS, id)
    })
  }
}

function ready(registry: Registry): Snapshot {
  if (!registry.status.ready) throw new ServiceError('not_ready', 'The catalog has not been loaded yet')
  return registry.current
}

function addList<Item extends Entry>(server: FastifyInstance, registry: Registry, shelf: Shelf<Item>): void {
  const schema = {
    tags: ['catalog'],
    summary: `List ${shelf.noun}s`,
    querystring: ListQuery,
    response: { 200: ListAnswer, ...errorAnswers(400, 401, 429, 503) },
  }
  server.get(shelf.path, { schema }, (request: FastifyRequest) => {
    // The schema was checked, and filled in `limit`.
    return page(shelf, ready(registry), request.query as ListQuery)
  })
}

async function page<Item extends Entry>(
  shelf: Shelf<Item>,
  snapshot: Snapshot,
  query: ListQuery,
): Promise<object> {
  const broken = brokenDocuments(snapshot, shelf.kind)
  if (query.status === 'broken') return pageOfBroken(shelf, snapshot, query, broken)
  const items = shelf.items(snapshot)
  const ids = await matching(shelf, items, query)
  const { shown, rest } = cut(ids, query)
  const rows = shown.map((id) => {
    const item = items.get(id) as Item
    return { id, ...shelf.summary(item), revision: item.revision }
  })
  return { items: rows, total: ids.length, broken: broken.length, ...rest }
}

/** What has errors; an earlier version of it may be served. */
function pageOfBroken<Item extends Entry>(
  shelf: Shelf<Item>,
  snapshot: Snapshot,
  query: ListQuery,
  broken: readonly BrokenDocument[],
): object {
  const items = shelf.items(snapshot)
  const wanted = query.q?.toLowerCase() ?? ''
  const byId = new Map(broken.map((each) => [each.id, each]))
  const ids = [...byId.keys()].filter((id) => id.toLowerCase().includes(wanted))
  const { shown, rest } = cut(ids, query)
  const rows = shown.map((id) => ({ ...byId.get(id), revision: items.get(id)?.revision ?? null }))
  return { items: rows, total: ids.length, broken: broken.length, ...rest }
}

/** The ids of one page, and what leads to the next one. */
function cut(
  ids: readonly string[],
  { cursor, limit }: ListQuery,
): { readonly shown: readonly string[]; readonly rest: { readonly next_cursor?: string } } {
  const after = cursor === undefined ? '' : fromCursor(cursor)
  const start = after === '' ? 0 : firstAfter(ids, after)
  const shown = ids.slice(start, start + limit)
  const last = shown.at(-1)
  const isMore = last !== undefined && last !== ids.at(-1)
  return { shown, rest: isMore ? { next_cursor: toCursor(last) } : {} }
}

/** How long the event loop is held at a time while a large catalog is looked through. */
const SLICE_MS = 5

function createListSlicer(): Slicer {
  return createSlicer(SLICE_MS, () => performance.now())
}

async function matching<Item extends Entry>(
  shelf: Shelf<Item>,
  items: SnapshotMap<Item>,
  { supports, q }: ListQuery,
): Promise<readonly string[]> {
  const slicer = createListSlicer()
  await items.prepareIds(slicer)
  if (supports === undefined && q === undefined) return items.ids()
  const wanted = q?.toLowerCase()
  const passes = (id: string) => {
    const item = items.get(id) as Item
    if (supports !== undefined && shelf.supports(item)?.includes(supports) === false) return false
    return wanted === undefined || searchText(id, shelf.summary(item)).includes(wanted)
  }
  return inSlices(filterInPieces(items.ids(), passes), slicer)
}

/** Where the ids after this one begin. */
function firstAfter(ids: readonly string[], after: string): number {
  let [low, high] = [0, ids.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ids[middle] as string) > after) high = middle
    else low = middle + 1
  }
  return low
}

function searchText(id: string, summary: JsonObject): string {
  const texts = ['name', 'displayName', 'description'].map((name) => own(summary, name))
  return [id, ...texts]
    .filter((text) => typeof text === 'string')
    .join('\n')
    .toLowerCase()
}

function toCursor(id: string): string {
  return Buffer.from(id).toString('base64url')
}

function fromCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString()
  if (id === '' || toCursor(id) !== cursor) {
    throw new ServiceError(
      'invalid_request',
      'cursor is not one of ours: send next_cursor of the page before',
      {
        param: 'cursor',
      },
    )
  }
  return id
}

function addDetail<Item extends Entry>(
  server: FastifyInstance,
  shelf: Shelf<Item>,
  show: (parameters: IdParams, reply: FastifyReply) => object | Promise<object>,
): void {
  const schema = {
    tags: ['catalog'],
    summary: `Show one ${shelf.noun}`,
    params: IdParams,
    response: {
      200: shelf.kind === 'environs' ? EnvironAnswer : DetailAnswer,
      ...errorAnswers(401, 404, 429, 503),
    },
  }
  server.get(`${shelf.path}/:id`, { schema }, (request: FastifyRequest, reply: FastifyReply) =>
    show(request.params as IdParams, reply),
  )
}

/** An environ may be a large part of the catalog: it is written out in pieces. */
function addEnviron(server: FastifyInstance, registry: Registry): void {
  addDetail(server, ENVIRONS, async ({ id }, reply) => {
    const snapshot = ready(registry)
    // The message about an unknown one names those that are like it.
    if (!snapshot.environs.has(id)) await snapshot.environs.prepareIds(createListSlicer())
    const pieces = jsonPieces(showEnviron(snapshot, id))
    const first = await pieces.next()
    const second = await pieces.next()
    reply.type('application/json; charset=utf-8')
    if (second.done === true) return reply.serializer(String).send(first.value)
    return reply.send(Readable.from(chain([first.value, second.value], pieces), { objectMode: false }))
  })
}

async function* chain(first: readonly string[], rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield* first
  yield* rest
}

function showExtension(snapshot: Snapshot, id: string): object | undefined {
  const entry = snapshot.extensions.get(id)
  return (
    entry && { ...entry.document, id, revision: entry.revision, ...diagnosticsOf(snapshot, 'extensions', id) }
  )
}

function showPrompt(snapshot: Snapshot, id: string): object | undefined {
  const entry = snapshot.prompts.get(id)
  return (
    entry && {
      ...entry.document,
      id,
      origin: entry.origin,
      ...(entry.extension === undefined ? {} : { extension: entry.extension }),
      kind: entry.definition.body.kind,
      engine: entry.definition.engine,
      // Both forms an author may write come out as the JSON Schema that requests are checked against.
      schema: entry.definition.parameters,
      revision: entry.revision,
      ...diagnosticsOf(snapshot, 'templates', id),
    }
  )
}

function showTool(snapshot: Snapshot, id: string): object | undefined {
  const entry = snapshot.tools.get(id) ?? snapshot.functions.get(id)
  return (
    entry && {
      ...entry.document,
      id: entry.id,
      function: entry.functionName,
      origin: entry.origin,
      revision: entry.revision,
      ...diagnosticsOf(snapshot, 'tools', entry.id),
    }
  )
}

/** An agent as it works: what its document does not say has its default. */
function showAgent(snapshot: Snapshot, id: string): object | undefined {
  const entry = snapshot.agents.get(id)
  return (
    entry && {
      ...entry.document,
      ...shownDefinition(entry.definition),
      id,
      revision: entry.revision,
      ...diagnosticsOf(snapshot, 'agents', id),
    }
  )
}

function shownDefinition({ parameters, agentRole, ...definition }: AgentDefinition): object {
  // Both forms an author may write come out as the JSON Schema that variables are checked against.
  return { ...definition, role: agentRole, schema: parameters }
}

/** An environ by its own id, by the path of something inside it, or the subtree of all below a path. */
function showEnviron(snapshot: Snapshot, id: string): JsonObject {
  // Diagnostics are JSON; their type only lacks the index signature.
  return environAnswer(snapshot, id) as JsonObject
}

function environAnswer(snapshot: Snapshot, id: string): object {
  const entry = snapshot.environs.get(id)
  const value = id.split('.').reduce<JsonValue | undefined>(step, snapshot.context) ?? entry?.value
  if (value === undefined) return broken(snapshot, ENVIRONS, id)
  const revision = entry === undefined ? {} : { revision: entry.revision }
  return { id, ...revision, value, ...diagnosticsOf(snapshot, 'environs', id) }
}

function step(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (Array.isArray(value))
    return /^(0|[1-9]\d*)$/.test(name) ? (value[Number(name)] as JsonValue | undefined) : undefined
  return isJsonObject(value) ? own(value, name) : undefined
}

/** What there is to say about a document that has no good version: what is wrong with it, or that it is unknown. */
function broken<Item extends Entry>(snapshot: Snapshot, shelf: Shelf<Item>, id: string): object {
  const found = diagnosticsOf(snapshot, shelf.kind, id)
  if (found.diagnostics === undefined) throw unknown(snapshot, shelf, id)
  return { id, revision: null, ...found }
}

function unknown<Item extends Entry>(snapshot: Snapshot, shelf: Shelf<Item>, id: string): ServiceError {
  const near = nearNames(id, shelf.items(snapshot).ids())
  const message = `No ${shelf.noun} has the id ${JSON.stringify(id)}${didYouMean(near)}`
  return new ServiceError(shelf.notFound, message, {
    param: 'id',
    ...(near.length > 0 ? { details: { near } } : {}),
  })
}

function diagnosticsOf(
  { diagnostics }: Snapshot,
  kind: Kind,
  id: string,
): { readonly diagnostics?: readonly Diagnostic[] } {
  const found = diagnostics.filter((diagnostic) => diagnostic.kind === kind && diagnostic.id === id)
  return found.length === 0 ? {} : { diagnostics: found }
}

function contributed(document: JsonObject): readonly JsonObject[] {
  const contributes = own(document, 'contributes')
  const prompts = isJsonObject(contributes) ? own(contributes, 'prompts') : undefined
  return Array.isArray(prompts) ? prompts.filter(isJsonObject) : []
}

function strings(object: JsonObject, name: string): readonly string[] {
  const value = own(object, name)
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function pick(object: JsonObject, names: readonly string[]): JsonObject {
  const found = names
    .map((name) => [name, own(object, name)] as const)
    .filter(([, value]) => value !== undefined)
  return Object.fromEntries(found) as JsonObject
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'bigint' ? 'number' : typeof value
}
