import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Sessions, WirePage, WireSession } from '../../agents/sessions/sessions.js'
import type {
  CreateSessionBody,
  MessagesQuery,
  PatchSessionBody,
  SessionParams,
  SessionsQuery,
} from '../../schema/session-api.js'
import { invalidInput } from '../../util/errors/invalid-input.js'
import type { JsonObject } from '../../util/json/json.js'
import { ownerOf } from '../doors/owner.js'
import { idempotencyKeyOf } from '../requests/idempotency-key.js'
import { callOf } from '../requests/request-context.js'
import { type OfSession, sessionOf } from './session-of.js'

/** What creating, showing and changing sessions needs. */
export interface SessionDependencies {
  readonly sessions: Sessions
}

/** Creates a session. @throws ServiceError `agent_not_found`, `already_exists`, `idempotency_conflict` */
export function createSession({ sessions }: SessionDependencies) {
  return async (
    request: FastifyRequest<{ Body: CreateSessionBody }>,
    reply: FastifyReply,
  ): Promise<WireSession> => {
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
}

/** Lists the sessions of the caller. */
export function listSessions({ sessions }: SessionDependencies) {
  return (request: FastifyRequest<{ Querystring: SessionsQuery }>): Promise<WirePage<WireSession>> => {
    return sessions.list(ownerOf(request), request.query)
  }
}

/** Shows a session. @throws ServiceError `session_not_found` */
export function readSession({ sessions }: SessionDependencies) {
  return (request: OfSession): Promise<WireSession> => {
    return sessions.read(sessionOf(request))
  }
}

/** Changes the active agent. @throws ServiceError `session_busy`, `agent_not_found` */
export function patchSession({ sessions }: SessionDependencies) {
  return (
    request: FastifyRequest<{ Params: SessionParams; Body: PatchSessionBody }>,
  ): Promise<WireSession> => {
    const { agent } = request.body
    return sessions.switchAgent(sessionOf(request), agent, callOf(request))
  }
}

/** Forgets a session. @throws ServiceError `session_busy` */
export function deleteSession({ sessions }: SessionDependencies) {
  return async (request: OfSession, reply: FastifyReply): Promise<void> => {
    await sessions.remove(sessionOf(request))
    reply.code(204)
  }
}

/** Lists the messages of a context. @throws ServiceError `invalid_request` for an unknown cursor */
export function listMessages({ sessions }: SessionDependencies) {
  return (
    request: FastifyRequest<{ Params: SessionParams; Querystring: MessagesQuery }>,
  ): Promise<WirePage<JsonObject>> => {
    const { limit, cursor, context } = request.query
    return sessions.messages(sessionOf(request), { context, limit, from: fromCursor(cursor) })
  }
}

/** @throws ServiceError `invalid_request` for what no page before has said */
function fromCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw invalidInput('cursor', 'Invalid cursor: send `next_cursor` of the previous page')
}
