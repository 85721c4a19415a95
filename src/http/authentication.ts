import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.js'
import { isOpenRoute } from './open-routes.js'

/** Asks for a key on every route but the open ones. Who calls is known by then. */
export function addAuthentication(server: FastifyInstance): void {
  server.addHook('onRequest', (request, _reply, done) => {
    if (request.caller?.kind === 'key' || isOpenRoute(request)) return done()
    done(rejection(request.caller?.hasKey === true))
  })
}

function rejection(hasKey: boolean): ServiceError {
  const message = hasKey
    ? 'The API key is not known'
    : 'An API key is required: send Authorization: Bearer <key>'
  return new ServiceError('invalid_api_key', message, { headers: { 'www-authenticate': 'Bearer' } })
}
