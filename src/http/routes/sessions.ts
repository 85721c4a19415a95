import type { FastifyPluginAsync } from 'fastify'
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
import { needsScopes } from '../doors/needs-scopes.js'
import {
  createSession,
  deleteSession,
  listMessages,
  listSessions,
  patchSession,
  readSession,
  type SessionDependencies,
} from '../handlers/sessions.js'
import { NO_CONTENT, reads, writes } from './session-operations.js'

const params = SessionParams

const CREATE_SESSION = writes('createSession', 'Create a session: a conversation with an agent', {
  description: 'With `Idempotency-Key` a repeated request returns the same session, for 24 hours.',
  body: CreateSessionBody,
  response: { 201: SessionAnswer },
})

const LIST_SESSIONS = reads('listSessions', 'List the caller’s sessions, most recently used first', {
  description: 'A session belongs to the key that created it; only those are listed.',
  querystring: SessionsQuery,
  response: { 200: SessionsAnswer },
})

const READ_SESSION = reads('getSession', 'Read a session', {
  description: 'Its agent, its last turn, and what it has used.',
  params,
  response: { 200: SessionAnswer },
})

const PATCH_SESSION = writes('updateSession', 'Change the active agent', {
  description:
    'The next turns of the active context are answered by it. While a turn runs: 409 `session_busy`.',
  params,
  body: PatchSessionBody,
  response: { 200: SessionAnswer },
})

const DELETE_SESSION = writes('deleteSession', 'Delete a session', {
  description: 'With its contexts, messages and memory. While a turn runs or waits: 409 `session_busy`.',
  params,
  response: NO_CONTENT,
})

const LIST_MESSAGES = reads('listMessages', 'List the messages of a context', {
  description: 'The oldest first.',
  params,
  querystring: MessagesQuery,
  response: { 200: MessagesAnswer },
})

/** `/api/sessions`: made, listed, read, changed and forgotten; and what was said in one. */
export function sessionRoutes(dependencies: SessionDependencies): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'agents')
    server.post('/api/sessions', CREATE_SESSION, createSession(dependencies))
    server.get('/api/sessions', LIST_SESSIONS, listSessions(dependencies))
    server.get('/api/sessions/:session', READ_SESSION, readSession(dependencies))
    server.patch('/api/sessions/:session', PATCH_SESSION, patchSession(dependencies))
    server.delete('/api/sessions/:session', DELETE_SESSION, deleteSession(dependencies))
    server.get('/api/sessions/:session/messages', LIST_MESSAGES, listMessages(dependencies))
  }
}
