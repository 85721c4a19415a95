import type { FastifyRequest } from 'fastify'
import type { SessionParams } from '../../schema/session-api.js'
import type { RecordAddress } from '../../state/contract/record-state.js'
import { ownerOf } from '../doors/owner.js'

/** A request about one session. */
export type OfSession = FastifyRequest<{ Params: SessionParams }>

/** The session a request is about, if it is its caller's. */
export function sessionOf(request: OfSession): RecordAddress {
  const { session } = request.params
  request.logFields = { session }
  return { kind: 'session', id: session, owner: ownerOf(request) }
}
