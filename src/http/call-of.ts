import type { FastifyRequest } from 'fastify'
import type { CallContext } from '../util/call-context.js'
import { clientSignal, traceparentOf } from './request-context.js'

/** For whom a request's work is done; it ends when the client goes away. */
export function callOf(request: FastifyRequest): CallContext {
  return Object.freeze({
    requestId: request.id,
    traceparent: traceparentOf(request),
    signal: clientSignal(request),
  })
}
