import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Sessions, WirePage } from '../../agents/sessions/sessions.js'
import { ServiceError } from '../../errors.js'
import type { MemoryAnswer, MemoryBody, MemoryParams } from '../../schema/session-api.js'
import type { Static } from '../../schema/type.js'
import { type OfSession, sessionOf } from './session-of.js'

/** What showing and changing the memory of sessions needs. */
export interface SessionMemoryDependencies {
  readonly sessions: Sessions
}

/** One value of a session's memory. */
type Remembered = Static<typeof MemoryAnswer>

type OfMemory = FastifyRequest<{ Params: MemoryParams }>

/** Lists what a session remembers. */
export function listMemory({ sessions }: SessionMemoryDependencies) {
  return async (request: OfSession): Promise<WirePage<Remembered>> => {
    const memory = await sessions.memory.read(sessionOf(request))
    const items = [...memory].map(([key, value]) => ({ key, value }))
    items.sort((one, other) => (one.key < other.key ? -1 : 1))
    return { items, total: items.length }
  }
}

/** Shows one value. @throws ServiceError `memory_not_found` */
export function readMemory({ sessions }: SessionMemoryDependencies) {
  return async (request: OfMemory): Promise<Remembered> => {
    const { key } = request.params
    const value = (await sessions.memory.read(sessionOf(request))).get(key)
    if (value !== undefined) return { key, value }
    throw new ServiceError('memory_not_found', 'The session remembers nothing under this key')
  }
}

/** Sets one value. */
export function putMemory({ sessions }: SessionMemoryDependencies) {
  return async (request: FastifyRequest<{ Params: MemoryParams; Body: MemoryBody }>): Promise<Remembered> => {
    const { key } = request.params
    const { value } = request.body
    await sessions.memory.set(sessionOf(request), key, value)
    return { key, value }
  }
}

/** Forgets one value. */
export function deleteMemory({ sessions }: SessionMemoryDependencies) {
  return async (request: OfMemory, reply: FastifyReply): Promise<void> => {
    await sessions.memory.delete(sessionOf(request), request.params.key)
    reply.code(204)
  }
}

/** Forgets all values. */
export function clearMemory({ sessions }: SessionMemoryDependencies) {
  return async (request: OfSession, reply: FastifyReply): Promise<void> => {
    await sessions.memory.clear(sessionOf(request))
    reply.code(204)
  }
}
