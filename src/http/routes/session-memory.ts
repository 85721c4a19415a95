import type { FastifyPluginAsync } from 'fastify'
import {
  MemoryAnswer,
  MemoryBody,
  MemoryListAnswer,
  MemoryParams,
  SessionParams,
} from '../../schema/session-api.js'
import { needsScopes } from '../doors/needs-scopes.js'
import {
  clearMemory,
  deleteMemory,
  listMemory,
  putMemory,
  readMemory,
  type SessionMemoryDependencies,
} from '../handlers/session-memory.js'
import { NO_CONTENT, reads, writes } from './session-operations.js'

const params = SessionParams

const LIST_MEMORY = reads('listMemory', 'List the memory of a session', {
  description: 'All values, sorted by key.',
  params,
  response: { 200: MemoryListAnswer },
})

const CLEAR_MEMORY = writes('clearMemory', 'Delete all memory of a session', {
  description: 'Messages and contexts stay.',
  params,
  response: NO_CONTENT,
})

const entry = { params: MemoryParams, response: { 200: MemoryAnswer } }

const READ_MEMORY = reads('getMemory', 'Read one memory value', {
  description: 'Agents of the session read it, and with their memory tools write it.',
  ...entry,
})

const PUT_MEMORY = writes('setMemory', 'Set a memory value', {
  description: 'Replaces the value of this key. Agents see it from the next turn on.',
  ...entry,
  body: MemoryBody,
})

const DELETE_MEMORY = writes('deleteMemory', 'Delete one memory value', {
  description: 'Other values stay.',
  params: MemoryParams,
  response: NO_CONTENT,
})

/** `/api/sessions/{id}/memory`: what a session remembers. */
export function sessionMemoryRoutes(dependencies: SessionMemoryDependencies): FastifyPluginAsync {
  return async (server) => {
    needsScopes(server, 'agents')
    server.get('/api/sessions/:session/memory', LIST_MEMORY, listMemory(dependencies))
    server.delete('/api/sessions/:session/memory', CLEAR_MEMORY, clearMemory(dependencies))
    server.get('/api/sessions/:session/memory/:key', READ_MEMORY, readMemory(dependencies))
    server.put('/api/sessions/:session/memory/:key', PUT_MEMORY, putMemory(dependencies))
    server.delete('/api/sessions/:session/memory/:key', DELETE_MEMORY, deleteMemory(dependencies))
  }
}
