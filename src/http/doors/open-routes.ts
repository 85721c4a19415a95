import type { FastifyRequest } from 'fastify'
import { routeOf } from '../requests/route-of.js'

/** Routes that answer without a key and beside all limits: the entrance, probes, metrics, documentation and the page's files. */
const OPEN = /^\/($|(healthz|readyz|metrics|openapi\.json|docs|swagger|ui)(\/|$))/

/** Decided by the route that was found: one address can be written in many ways. A route that names scopes is not open. */
export function isOpenRoute(request: FastifyRequest): boolean {
  const { url, config } = routeOf(request)
  // Asked last: nearly all routes name scopes, and what each request asks should not be a pattern.
  return config.scopes === undefined && url !== undefined && OPEN.test(url)
}
