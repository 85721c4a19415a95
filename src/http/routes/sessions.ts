import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { WireContext } from '../../agents/sessions/contexts.js'
import type { Sessions, WirePage, WireSession } from '../../agents/sessions/sessions.js'
import { ServiceError } from '../../errors.js'
import {
  BridgeAnswer,
  BridgeBody,
  ContextAnswer,
  ContextParams,
  ContextsAnswer,
  CreateContextBody,
  CreateSessionBody,
  MemoryAnswer,
  MemoryBody,
  MemoryListAnswer,
  MemoryParams,
  MessagesAnswer,
  MessagesQuery,
  PatchSessionBody,
  SessionAnswer,
  SessionParams,
  SessionsAnswer,
  SessionsQuery,
} from '../../schema/session-api.js'
import type { Static } from '../../schema/type.js'
import { Type } from '../../schema/type.js'
import type { RecordAddress } from '../../state/state-store.js'
import { invalidInput } from '../../util/invalid-input.js'
import type { JsonObject } from '../../util/json.js'
import { idempotencyKeyOf } from '../idempotency-key.js'
import { needsScopes } from '../needs-scopes.js'
import { operations } from '../operations.js'
import { ownerOf } from '../owner.js'
import { callOf } from '../request-context.js'

const NOTHING = { 204: Type.Null({ description: 'Done' }) }
const reads = operations('sessions', 400, 401, 403, 404, 429, 500, 503)
const writes = operations('sessions', 400, 401, 403, 404, 409, 413, 415, 429, 500, 502, 503)

/** One value of a session's memory. */
type Remembered = Static<typeof MemoryAnswer>

type OfMemory = FastifyRequest<{ Params: MemoryParams }>
type OfContext = FastifyRequest<{ Params: ContextParams }>
type OfSession = FastifyRequest<{ Params: SessionParams }>

/** The session a request is about, if it is its caller's. */
export function sessionOf(request: OfSession): RecordAddress {
  const { session } = request.params
  request.logFields = { session }
  return { kind: 'session', id: session, owner: ownerOf(request) }
}

/** `/api/sessions` and what belongs to one: messages, memory, contexts. */
export function sessionRoutes({ sessions }: { readonly sessions: Sessions }): FastifyPluginAsync {
  async function createSession(
    request: FastifyRequest<{ Body: CreateSessionBody }>,
    reply: FastifyReply,
  ): Promise<WireSession> {
    const { agent, id, variables = {} } = request.body
    const created = await sessions.create(
      {
        owner: ownerOf(request),
        agent,
        id,
        variables,
        idempotency: await idempotencyKeyOf(request),
      },
      callOf(request),
    )
    request.logFields = { session: created.id, agent }
    reply.code(201).header('location', `/api/sessions/${created.id}`)
    return created
  }

  function listSessions(
    request: FastifyRequest<{ Querystring: SessionsQuery }>,
  ): Promise<WirePage<WireSession>> {
    return sessions.list(ownerOf(request), request.query)
  }

  function readSession(request: OfSession): Promise<WireSession> {
    return sessions.read(sessionOf(request))
  }

  function patchSession(
    request: FastifyRequest<{ Params: SessionParams; Body: PatchSessionBody }>,
  ): Promise<WireSession> {
    const { agent } = request.body
    return sessions.switchAgent(sessionOf(request), agent, callOf(request))
  }

  async function deleteSession(request: OfSession, reply: FastifyReply): Promise<void> {
    await sessions.remove(sessionOf(request))
    reply.code(204)
  }

  function listMessages(
    request: FastifyRequest<{ Params: SessionParams; Querystring: MessagesQuery }>,
  ): Promise<WirePage<JsonObject>> {
    const { limit, cursor, context } = request.query
    return sessions.messages(sessionOf(request), { context, limit, from: fromCursor(cursor) })
  }

  async function listMemory(request: OfSession): Promise<WirePage<Remembered>> {
    const memory = await sessions.memory.read(sessionOf(request))
    const items = [...memory].map(([key, value]) => ({ key, value }))
    items.sort((one, other) => (one.key < other.key ? -1 : 1))
    return { items, total: items.length }
  }

  async function readMemory(request: OfMemory): Promise<Remembered> {
    const { key } = request.params
    const value = (await sessions.memory.read(sessionOf(request))).get(key)
    if (value !== undefined) return { key, value }
    throw new ServiceError('memory_not_found', 'The session remembers nothing under this key')
  }

  async function putMemory(
    request: FastifyRequest<{ Params: MemoryParams; Body: MemoryBody }>,
  ): Promise<Remembered> {
    const { key } = request.params
    const { value } = request.body
    await sessions.memory.set(sessionOf(request), key, value)
    return { key, value }
  }

  async function deleteMemory(request: OfMemory, reply: FastifyReply): Promise<void> {
    await sessions.memory.delete(sessionOf(request), request.params.key)
    reply.code(204)
  }

  async function clearMemory(request: OfSession, reply: FastifyReply): Promise<void> {
    await sessions.memory.clear(sessionOf(request))
    reply.code(204)
  }

  async function listContexts(request: OfSession): Promise<WirePage<WireContext>> {
    const items = await sessions.contexts.list(sessionOf(request))
    return { items, total: items.length }
  }

  async function createContext(
    request: FastifyRequest<{ Params: SessionParams; Body: CreateContextBody }>,
    reply: FastifyReply,
  ): Promise<WireContext> {
    const { id, agent } = request.body
    const created = await sessions.contexts.create(sessionOf(request), id, agent, callOf(request))
    reply.code(201)
    return created
  }

  async function readContext(request: OfContext): Promise<WireContext> {
    const { context } = request.params
    const contexts = await sessions.contexts.list(sessionOf(request))
    const found = contexts.find(({ id }) => id === context)
    if (found !== undefined) return found
    throw new ServiceError('context_not_found', `The session has no context "${context}"`)
  }

  async function switchContext(request: OfContext): Promise<WireSession> {
    const address = sessionOf(request)
    await sessions.contexts.switch(address, request.params.context)
    return sessions.read(address)
  }

  async function deleteContext(request: OfContext, reply: FastifyReply): Promise<void> {
    await sessions.contexts.destroy(sessionOf(request), request.params.context)
    reply.code(204)
  }

  function bridge(request: FastifyRequest<{ Params: SessionParams; Body: BridgeBody }>): Promise<object> {
    return sessions.contexts.bridge(sessionOf(request), request.body, callOf(request))
  }

  return async (server) => {
    needsScopes(server, 'agents')
    const params = SessionParams
    server.post(
      '/api/sessions',
      writes('createSession', 'Begin a conversation with an agent', {
        description: 'With `Idempotency-Key` the same request makes the same session, for 24 hours.',
        body: CreateSessionBody,
        response: { 201: SessionAnswer },
      }),
      createSession,
    )
    server.get(
      '/api/sessions',
      reads('listSessions', 'List the caller’s sessions, those used last first', {
        querystring: SessionsQuery,
        response: { 200: SessionsAnswer },
      }),
      listSessions,
    )
    server.get(
      '/api/sessions/:session',
      reads('getSession', 'Read a session', { params, response: { 200: SessionAnswer } }),
      readSession,
    )
    server.patch(
      '/api/sessions/:session',
      writes('updateSession', 'Let another agent go on in the active context', {
        params,
        body: PatchSessionBody,
        response: { 200: SessionAnswer },
      }),
      patchSession,
    )
    server.delete(
      '/api/sessions/:session',
      writes('deleteSession', 'Forget a session', { params, response: NOTHING }),
      deleteSession,
    )
    server.get(
      '/api/sessions/:session/messages',
      reads('listMessages', 'Read what was said in a context', {
        params,
        querystring: MessagesQuery,
        response: { 200: MessagesAnswer },
      }),
      listMessages,
    )
    server.get(
      '/api/sessions/:session/memory',
      reads('listMemory', 'Read what the session remembers', { params, response: { 200: MemoryListAnswer } }),
      listMemory,
    )
    server.delete(
      '/api/sessions/:session/memory',
      writes('clearMemory', 'Forget all of it', { params, response: NOTHING }),
      clearMemory,
    )
    const entry = { params: MemoryParams, response: { 200: MemoryAnswer } }
    server.get('/api/sessions/:session/memory/:key', reads('getMemory', 'Read one value', entry), readMemory)
    server.put(
      '/api/sessions/:session/memory/:key',
      writes('setMemory', 'Remember a value; agents see it from the next turn on', {
        ...entry,
        body: MemoryBody,
      }),
      putMemory,
    )
    server.delete(
      '/api/sessions/:session/memory/:key',
      writes('deleteMemory', 'Forget one value', { params: MemoryParams, response: NOTHING }),
      deleteMemory,
    )
    server.get(
      '/api/sessions/:session/contexts',
      reads('listContexts', 'List the contexts', { params, response: { 200: ContextsAnswer } }),
      listContexts,
    )
    server.post(
      '/api/sessions/:session/contexts',
      writes(
        'createContext',
        'Add a conversation beside the others, with an agent of its own and the same memory',
        { params, body: CreateContextBody, response: { 201: ContextAnswer } },
      ),
      createContext,
    )
    const one = { params: ContextParams }
    server.get(
      '/api/sessions/:session/contexts/:context',
      reads('getContext', 'Read a context', { ...one, response: { 200: ContextAnswer } }),
      readContext,
    )
    server.post(
      '/api/sessions/:session/contexts/:context/switch',
      writes('switchContext', 'Go on in this context', { ...one, response: { 200: SessionAnswer } }),
      switchContext,
    )
    server.delete(
      '/api/sessions/:session/contexts/:context',
      writes('deleteContext', 'Forget a context that is not the active one', { ...one, response: NOTHING }),
      deleteContext,
    )
    server.post(
      '/api/sessions/:session/bridge',
      writes('bridgeContexts', 'Tell one context what another came to, as a summary in the memory', {
        params,
        body: BridgeBody,
        response: { 200: BridgeAnswer },
      }),
      bridge,
    )
  }
}

/** @throws ServiceError `invalid_request` for what no page before has said */
function fromCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw invalidInput('cursor', 'cursor is not one of ours: send next_cursor of the page before')
}
