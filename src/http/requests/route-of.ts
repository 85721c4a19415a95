import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** See `routeOf`. */
    route?: FastifyRequest['routeOptions']
  }
}

/** The route of a request. Fastify builds `routeOptions` each time it is read, and each request reads it five times. */
export function routeOf(request: FastifyRequest): FastifyRequest['routeOptions'] {
  request.route ??= request.routeOptions
  return request.route
}
