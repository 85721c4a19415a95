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
  SessionAnswer,
  SessionParams,
} from '../../schema/session-api.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { callOf } from '../requests/request-context.js'
import { NO_CONTENT, type OfSession, reads, sessionOf, writes } from './session-operations.js'

type OfContext = FastifyRequest<{ Params: ContextParams }>

/** `/api/sessions/{id}/contexts`: parallel conversations of one session, and summaries that are copied between them. */
export function sessionContextRoutes({ sessions }: { readonly sessions: Sessions }): FastifyPluginAsync {
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
    server.get(
      '/api/sessions/:session/contexts',
      reads('listContexts', 'List the contexts', {
        description: 'The first one is `main`.',
        params,
        response: { 200: ContextsAnswer },
      }),
      listContexts,
    )
    server.post(
      '/api/sessions/:session/contexts',
      writes(
        'createContext',
        'Add a context: a further conversation of the session, with its own agent and the same memory',
        {
          description: 'It has no messages yet. Turns name it in `context`, or it is made the active one.',
          params,
          body: CreateContextBody,
          response: { 201: ContextAnswer },
        },
      ),
      createContext,
    )
    const one = { params: ContextParams }
    server.get(
      '/api/sessions/:session/contexts/:context',
      reads('getContext', 'Read a context', {
        description: 'Its messages have a list of their own.',
        ...one,
        response: { 200: ContextAnswer },
      }),
      readContext,
    )
    server.post(
      '/api/sessions/:session/contexts/:context/switch',
      writes('switchContext', 'Make a context the active one', {
        description: 'Turns that name no context belong to it from then on.',
        ...one,
        response: { 200: SessionAnswer },
      }),
      switchContext,
    )
    server.delete(
      '/api/sessions/:session/contexts/:context',
      writes('deleteContext', 'Delete a context that is not the active one', {
        description: 'With its messages. The active context is 400: make another one active first.',
        ...one,
        response: NO_CONTENT,
      }),
      deleteContext,
    )
    server.post(
      '/api/sessions/:session/bridge',
      writes('shareContextSummary', 'Copy a summary of one context into the memory of another', {
        description:
          'Messages stay where they are. Without `summary` the agent of `from` writes one, which is a call of its model.',
        params,
        body: BridgeBody,
        response: { 200: BridgeAnswer },
      }),
      bridge,
    )
  }
}
