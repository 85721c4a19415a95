import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { WireContext } from '../../agents/sessions/contexts.js'
import type { Sessions, WirePage, WireSession } from '../../agents/sessions/sessions.js'
import { ServiceError } from '../../errors.js'
import { statusAnswers } from '../../schema/error-answers.js'
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
import { Type } from '../../schema/type.js'
import type { RecordAddress } from '../../state/state-store.js'
import type { JsonObject } from '../../util/json.js'
import { idempotencyKeyOf } from '../idempotency-key.js'
import { needsScopes } from '../needs-scopes.js'
import { ownerOf } from '../owner.js'
import { callOf } from '../request-context.js'

const NOTHING = { 204: Type.Null({ description: 'Done' }) }
const READ = statusAnswers(400, 401, 403, 404, 429, 500, 503)
const WRITE = statusAnswers(400, 401, 403, 404, 409, 413, 415, 429, 500, 502, 503)

/** The session a request is about, if it is its caller's. */
export function sessionOf(request: FastifyRequest<{ Params: SessionParams }>): RecordAddress {
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
        idempotency: idempotencyKeyOf(request),
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

  function readSession(request: FastifyRequest<{ Params: SessionParams }>): Promise<WireSession> {
    return sessions.read(sessionOf(request))
  }

  function patchSession(
    request: FastifyRequest<{ Params: SessionParams; Body: PatchSessionBody }>,
  ): Promise<WireSession> {
    const { agent } = request.body
    return sessions.switchAgent(sessionOf(request), agent, callOf(request))
  }

  async function deleteSession(
    request: FastifyRequest<{ Params: SessionParams }>,
    reply: FastifyReply,
  ): Promise<void> {
    await sessions.remove(sessionOf(request))
    reply.code(204)
  }

  function listMessages(
    request: FastifyRequest<{ Params: SessionParams; Querystring: MessagesQuery }>,
  ): Promise<WirePage<JsonObject>> {
    const { limit, cursor, context } = request.query
    return sessions.messages(sessionOf(request), { context, limit, from: fromCursor(cursor) })
  }

  async function listMemory(
    request: FastifyRequest<{ Params: SessionParams }>,
  ): Promise<WirePage<{ key: string; value: string }>> {
    const memory = await sessions.memory(sessionOf(request))
    const items = [...memory].map(([key, value]) => ({ key, value }))
    items.sort((one, other) => (one.key < other.key ? -1 : 1))
    return { items, total: items.length }
  }

  async function readMemory(
    request: FastifyRequest<{ Params: MemoryParams }>,
  ): Promise<{ key: string; value: string }> {
    const { key } = request.params
    const value = (await sessions.memory(sessionOf(request))).get(key)
    if (value !== undefined) return { key, value }
    throw new ServiceError('memory_not_found', 'The session remembers nothing under this key')
  }

  async function putMemory(
    request: FastifyRequest<{ Params: MemoryParams; Body: MemoryBody }>,
  ): Promise<{ key: string; value: string }> {
    const { key } = request.params
    const { value } = request.body
    await sessions.remember(sessionOf(request), key, value)
    return { key, value }
  }

  async function deleteMemory(
    request: FastifyRequest<{ Params: MemoryParams }>,
    reply: FastifyReply,
  ): Promise<void> {
    await sessions.forget(sessionOf(request), request.params.key)
    reply.code(204)
  }

  async function clearMemory(
    request: FastifyRequest<{ Params: SessionParams }>,
    reply: FastifyReply,
  ): Promise<void> {
    await sessions.forgetAll(sessionOf(request))
    reply.code(204)
  }

  async function listContexts(
    request: FastifyRequest<{ Params: SessionParams }>,
  ): Promise<WirePage<WireContext>> {
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

  async function readContext(request: FastifyRequest<{ Params: ContextParams }>): Promise<WireContext> {
    const { context } = request.params
    const contexts = await sessions.contexts.list(sessionOf(request))
    const found = contexts.find(({ id }) => id === context)
    if (found !== undefined) return found
    throw new ServiceError('context_not_found', `The session has no context "${context}"`)
  }

  async function switchContext(request: FastifyRequest<{ Params: ContextParams }>): Promise<WireSession> {
    const address = sessionOf(request)
    await sessions.contexts.switch(address, request.params.context)
    return sessions.read(address)
  }

  async function deleteContext(
    request: FastifyRequest<{ Params: ContextParams }>,
    reply: FastifyReply,
  ): Promise<void> {
    await sessions.contexts.destroy(sessionOf(request), request.params.context)
    reply.code(204)
  }

  function bridge(request: FastifyRequest<{ Params: SessionParams; Body: BridgeBody }>): Promise<object> {
    return sessions.contexts.bridge(sessionOf(request), request.body, callOf(request))
  }

  return async (server) => {
    needsScopes(server, 'agents')
    const tags = ['sessions']
    const params = SessionParams
    server.post(
      '/api/sessions',
      {
        schema: {
          tags,
          operationId: 'createSession',
          summary: 'Begin a conversation with an agent',
          description: 'With `Idempotency-Key` the same request makes the same session, for 24 hours.',
          body: CreateSessionBody,
          response: { 201: SessionAnswer, ...WRITE },
        },
      },
      createSession,
    )
    server.get(
      '/api/sessions',
      {
        schema: {
          tags,
          operationId: 'listSessions',
          summary: 'List the caller’s sessions, those used last first',
          querystring: SessionsQuery,
          response: { 200: SessionsAnswer, ...READ },
        },
      },
      listSessions,
    )
    server.get(
      '/api/sessions/:session',
      {
        schema: {
          tags,
          operationId: 'getSession',
          summary: 'Read a session',
          params,
          response: { 200: SessionAnswer, ...READ },
        },
      },
      readSession,
    )
    server.patch(
      '/api/sessions/:session',
      {
        schema: {
          tags,
          operationId: 'updateSession',
          summary: 'Let another agent go on in the active context',
          params,
          body: PatchSessionBody,
          response: { 200: SessionAnswer, ...WRITE },
        },
      },
      patchSession,
    )
    server.delete(
      '/api/sessions/:session',
      {
        schema: {
          tags,
          operationId: 'deleteSession',
          summary: 'Forget a session',
          params,
          response: { ...NOTHING, ...WRITE },
        },
      },
      deleteSession,
    )
    server.get(
      '/api/sessions/:session/messages',
      {
        schema: {
          tags,
          operationId: 'listMessages',
          summary: 'Read what was said in a context',
          params,
          querystring: MessagesQuery,
          response: { 200: MessagesAnswer, ...READ },
        },
      },
      listMessages,
    )
    server.get(
      '/api/sessions/:session/memory',
      {
        schema: {
          tags,
          operationId: 'listMemory',
          summary: 'Read what the session remembers',
          params,
          response: { 200: MemoryListAnswer, ...READ },
        },
      },
      listMemory,
    )
    server.delete(
      '/api/sessions/:session/memory',
      {
        schema: {
          tags,
          operationId: 'clearMemory',
          summary: 'Forget all of it',
          params,
          response: { ...NOTHING, ...WRITE },
        },
      },
      clearMemory,
    )
    const entry = { tags, params: MemoryParams }
    server.get(
      '/api/sessions/:session/memory/:key',
      {
        schema: {
          ...entry,
          operationId: 'getMemory',
          summary: 'Read one value',
          response: { 200: MemoryAnswer, ...READ },
        },
      },
      readMemory,
    )
    server.put(
      '/api/sessions/:session/memory/:key',
      {
        schema: {
          ...entry,
          operationId: 'setMemory',
          summary: 'Remember a value; agents see it from the next turn on',
          body: MemoryBody,
          response: { 200: MemoryAnswer, ...WRITE },
        },
      },
      putMemory,
    )
    server.delete(
      '/api/sessions/:session/memory/:key',
      {
        schema: {
          ...entry,
          operationId: 'deleteMemory',
          summary: 'Forget one value',
          response: { ...NOTHING, ...WRITE },
        },
      },
      deleteMemory,
    )
    server.get(
      '/api/sessions/:session/contexts',
      {
        schema: {
          tags,
          operationId: 'listContexts',
          summary: 'List the contexts',
          params,
          response: { 200: ContextsAnswer, ...READ },
        },
      },
      listContexts,
    )
    server.post(
      '/api/sessions/:session/contexts',
      {
        schema: {
          tags,
          operationId: 'createContext',
          summary: 'Add a conversation beside the others, with an agent of its own and the same memory',
          params,
          body: CreateContextBody,
          response: { 201: ContextAnswer, ...WRITE },
        },
      },
      createContext,
    )
    const one = { tags, params: ContextParams }
    server.get(
      '/api/sessions/:session/contexts/:context',
      {
        schema: {
          ...one,
          operationId: 'getContext',
          summary: 'Read a context',
          response: { 200: ContextAnswer, ...READ },
        },
      },
      readContext,
    )
    server.post(
      '/api/sessions/:session/contexts/:context/switch',
      {
        schema: {
          ...one,
          operationId: 'switchContext',
          summary: 'Go on in this context',
          response: { 200: SessionAnswer, ...WRITE },
        },
      },
      switchContext,
    )
    server.delete(
      '/api/sessions/:session/contexts/:context',
      {
        schema: {
          ...one,
          operationId: 'deleteContext',
          summary: 'Forget a context that is not the active one',
          response: { ...NOTHING, ...WRITE },
        },
      },
      deleteContext,
    )
    server.post(
      '/api/sessions/:session/bridge',
      {
        schema: {
          tags,
          operationId: 'bridgeContexts',
          summary: 'Tell one context what another came to, as a summary in the memory',
          params,
          body: BridgeBody,
          response: { 200: BridgeAnswer, ...WRITE },
        },
      },
      bridge,
    )
  }
}

/** @throws ServiceError `invalid_request` for what no page before has said */
function fromCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw new ServiceError(
    'invalid_request',
    'cursor is not one of ours: send next_cursor of the page before',
    {
      param: 'cursor',
    },
  )
}
