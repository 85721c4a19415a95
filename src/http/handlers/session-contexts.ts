import type { FastifyReply, FastifyRequest } from 'fastify'
import type { WireContext } from '../../agents/sessions/contexts.js'
import type { Sessions, WirePage, WireSession } from '../../agents/sessions/sessions.js'
import { ServiceError } from '../../errors.js'
import type { BridgeBody, ContextParams, CreateContextBody, SessionParams } from '../../schema/session-api.js'
import { callOf } from '../requests/request-context.js'
import { type OfSession, sessionOf } from './session-of.js'

/** What showing and changing the contexts of sessions needs. */
export interface SessionContextDependencies {
  readonly sessions: Sessions
}

type OfContext = FastifyRequest<{ Params: ContextParams }>

/** Lists the contexts of a session. */
export function listContexts({ sessions }: SessionContextDependencies) {
  return async (request: OfSession): Promise<WirePage<WireContext>> => {
    const items = await sessions.contexts.list(sessionOf(request))
    return { items, total: items.length }
  }
}

/** Adds a context. @throws ServiceError `already_exists`, `agent_not_found` */
export function createContext({ sessions }: SessionContextDependencies) {
  return async (
    request: FastifyRequest<{ Params: SessionParams; Body: CreateContextBody }>,
    reply: FastifyReply,
  ): Promise<WireContext> => {
    const { id, agent } = request.body
    const created = await sessions.contexts.create(sessionOf(request), id, agent, callOf(request))
    reply.code(201)
    return created
  }
}

/** Shows a context. @throws ServiceError `context_not_found` */
export function readContext({ sessions }: SessionContextDependencies) {
  return async (request: OfContext): Promise<WireContext> => {
    const { context } = request.params
    const contexts = await sessions.contexts.list(sessionOf(request))
    const found = contexts.find(({ id }) => id === context)
    if (found !== undefined) return found
    throw new ServiceError('context_not_found', `The session has no context "${context}"`)
  }
}

/** Makes a context the active one. @throws ServiceError `context_not_found` */
export function switchContext({ sessions }: SessionContextDependencies) {
  return async (request: OfContext): Promise<WireSession> => {
    const address = sessionOf(request)
    await sessions.contexts.switch(address, request.params.context)
    return sessions.read(address)
  }
}

/** Forgets a context. @throws ServiceError `invalid_request` for the active one */
export function deleteContext({ sessions }: SessionContextDependencies) {
  return async (request: OfContext, reply: FastifyReply): Promise<void> => {
    await sessions.contexts.destroy(sessionOf(request), request.params.context)
    reply.code(204)
  }
}

/** Copies a summary of one context for another. */
export function bridge({ sessions }: SessionContextDependencies) {
  return (request: FastifyRequest<{ Params: SessionParams; Body: BridgeBody }>): Promise<object> => {
    return sessions.contexts.bridge(sessionOf(request), request.body, callOf(request))
  }
}
