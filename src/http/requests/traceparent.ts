import type { FastifyRequest } from 'fastify'

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** The W3C trace context to pass on, if the request carries a well-formed one. */
export function traceparentOf(request: FastifyRequest): string | undefined {
  const given = request.headers['traceparent']
  return typeof given === 'string' && TRACEPARENT.test(given) ? given : undefined
}
