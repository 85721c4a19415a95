import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Sessions, WirePage } from '../../agents/sessions/sessions.js'
import { ServiceError } from '../../errors.js'
import {
  MemoryAnswer,
  MemoryBody,
  MemoryListAnswer,
  MemoryParams,
  SessionParams,
} from '../../schema/session-api.js'
import type { Static } from '../../schema/type.js'
import { needsScopes } from '../doors/needs-scopes.js'
import { NO_CONTENT, type OfSession, reads, sessionOf, writes } from './session-operations.js'

/** One value of a session's memory. */
type Remembered = Static<typeof MemoryAnswer>

type OfMemory = FastifyRequest<{ Params: MemoryParams }>

/** `/api/sessions/{id}/memory`: what a session remembers. */
export function sessionMemoryRoutes({ sessions }: { readonly sessions: Sessions }): FastifyPluginAsync {
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

  return async (server) => {
    needsScopes(server, 'agents')
    const params = SessionParams
    server.get(
      '/api/sessions/:session/memory',
      reads('listMemory', 'List the memory of a session', {
        description: 'All values, sorted by key.',
        params,
        response: { 200: MemoryListAnswer },
      }),
      listMemory,
    )
    server.delete(
      '/api/sessions/:session/memory',
      writes('clearMemory', 'Delete all memory of a session', {
        description: 'Messages and contexts stay.',
        params,
        response: NO_CONTENT,
      }),
      clearMemory,
    )
    const entry = { params: MemoryParams, response: { 200: MemoryAnswer } }
    server.get(
      '/api/sessions/:session/memory/:key',
      reads('getMemory', 'Read one memory value', {
        description: 'Agents of the session read it, and with their memory tools write it.',
        ...entry,
      }),
      readMemory,
    )
    server.put(
      '/api/sessions/:session/memory/:key',
      writes('setMemory', 'Set a memory value', {
        description: 'Replaces the value of this key. Agents see it from the next turn on.',
        ...entry,
        body: MemoryBody,
      }),
      putMemory,
    )
    server.delete(
      '/api/sessions/:session/memory/:key',
      writes('deleteMemory', 'Delete one memory value', {
        description: 'Other values stay.',
        params: MemoryParams,
        response: NO_CONTENT,
      }),
      deleteMemory,
    )
  }
}
