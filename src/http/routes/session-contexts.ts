import type { FastifyPluginAsync } from 'fastify'
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
import {
  bridge,
  createContext,
  deleteContext,
  listContexts,
  readContext,
  type SessionContextDependencies,
  switchContext,
} from '../handlers/session-contexts.js'
import { NO_CONTENT, reads, writes } from './session-operations.js'

const params = SessionParams

const LIST_CONTEXTS = reads('listContexts', 'List the contexts', {
  description: 'The first one is `main`.',
  params,
  response: { 200: ContextsAnswer },
})

const CREATE_CONTEXT = writes(
  'createContext',
  'Add a context: a further conversation of the session, with its own agent and the same memory',
  {
    description: 'It has no messages yet. Turns name it in `context`, or it is made the active one.',
    params,
    body: CreateContextBody,
    response: { 201: ContextAnswer },
  },
)

const one = { params: ContextParams }

const READ_CONTEXT = reads('getContext', 'Read a context', {
  description: 'Its messages have a list of their own.',
  ...one,
  response: { 200: ContextAnswer },
})

const SWITCH_CONTEXT = writes('switchContext', 'Make a context the active one', {
  description: 'Turns that name no context belong to it from then on.',
  ...one,
  response: { 200: SessionAnswer },
})

const DELETE_CONTEXT = writes('deleteContext', 'Delete a context that is not the active one', {
  description: 'With its messages. The active context is 400: make another one active first.',
  ...one,
  response: NO_CONTENT,
})

const BRIDGE = writes('shareContextSummary', 'Copy a summary of one context into the memory of another', {
  description:
    'Messages stay where they are. Without `summary` the agent of `from` writes one, which is a call of its model.',
  params,
  body: BridgeBody,
  response: { 200: BridgeAnswer },
})

/** `/api/sessions/{id}/contexts`: parallel conversations of one session, and summaries that are copied between them. */
export function sessionContextRoutes(dependencies: SessionContextDependencies): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'agents')
    server.get('/api/sessions/:session/contexts', LIST_CONTEXTS, listContexts(dependencies))
    server.post('/api/sessions/:session/contexts', CREATE_CONTEXT, createContext(dependencies))
    server.get('/api/sessions/:session/contexts/:context', READ_CONTEXT, readContext(dependencies))
    server.post(
      '/api/sessions/:session/contexts/:context/switch',
      SWITCH_CONTEXT,
      switchContext(dependencies),
    )
    server.delete('/api/sessions/:session/contexts/:context', DELETE_CONTEXT, deleteContext(dependencies))
    server.post('/api/sessions/:session/bridge', BRIDGE, bridge(dependencies))
  }
}
