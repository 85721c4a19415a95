import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Sessions, WirePage, WireSession } from '../../agents/sessions/sessions.js'
import {
  CreateSessionBody,
  MessagesAnswer,
  MessagesQuery,
  PatchSessionBody,
  SessionAnswer,
  SessionParams,
  SessionsAnswer,
  SessionsQuery,
} from '../../schema/session-api.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import type { JsonObject } from '../../util/json/json.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { ownerOf } from '../doors/owner.js'
import { idempotencyKeyOf } from '../requests/idempotency-key.js'
import { callOf } from '../requests/request-context.js'
import { NO_CONTENT, type OfSession, reads, sessionOf, writes } from './session-operations.js'

/** `/api/sessions`: made, listed, read, changed and forgotten; and what was said in one. */
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

  return async (server) => {
    needsScopes(server, 'agents')
    const params = SessionParams
    server.post(
      '/api/sessions',
      writes('createSession', 'Create a session: a conversation with an agent', {
        description: 'With `Idempotency-Key` a repeated request returns the same session, for 24 hours.',
        body: CreateSessionBody,
        response: { 201: SessionAnswer },
      }),
      createSession,
    )
    server.get(
      '/api/sessions',
      reads('listSessions', 'List the caller’s sessions, most recently used first', {
        description: 'A session belongs to the key that created it; only those are listed.',
        querystring: SessionsQuery,
        response: { 200: SessionsAnswer },
      }),
      listSessions,
    )
    server.get(
      '/api/sessions/:session',
      reads('getSession', 'Read a session', {
        description: 'Its agent, its last turn, and what it has used.',
        params,
        response: { 200: SessionAnswer },
      }),
      readSession,
    )
    server.patch(
      '/api/sessions/:session',
      writes('updateSession', 'Change the active agent', {
        description:
          'The next turns of the active context are answered by it. While a turn runs: 409 `session_busy`.',
        params,
        body: PatchSessionBody,
        response: { 200: SessionAnswer },
      }),
      patchSession,
    )
    server.delete(
      '/api/sessions/:session',
      writes('deleteSession', 'Delete a session', {
        description:
          'With its contexts, messages and memory. While a turn runs or waits: 409 `session_busy`.',
        params,
        response: NO_CONTENT,
      }),
      deleteSession,
    )
    server.get(
      '/api/sessions/:session/messages',
      reads('listMessages', 'List the messages of a context', {
        description: 'The oldest first.',
        params,
        querystring: MessagesQuery,
        response: { 200: MessagesAnswer },
      }),
      listMessages,
    )
  }
}

/** @throws ServiceError `invalid_request` for what no page before has said */
function fromCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw invalidInput('cursor', 'Invalid cursor: send `next_cursor` of the previous page')
}
