import type { FastifyInstance, FastifyRequest } from 'fastify'
import { assertAllowed, notAllowed } from '../../access/assert-allowed.js'
import type { KeyMetrics } from '../../access/key-metrics.js'
import { ServiceError } from '../../errors.js'
import { type KeyScope, SCOPES } from '../../schema/keys-file.js'
import { routeOf } from '../requests/route-of.js'
import { accessOf, type Caller } from './caller.js'
import { isOpenRoute } from './open-routes.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a key needs to be let in, all of them. Every route but the open ones says it, if only that it is nothing. */
    scopes?: readonly KeyScope[]
  }
}

/** Asks for a key on every route but the open ones, and for the scopes that the route names. */
export function addAuthentication(server: FastifyInstance, metrics: KeyMetrics): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const { caller } = request
    if (isOpenRoute(request)) return done()
    if (caller?.kind !== 'key') {
      metrics.refused(undefined, caller?.key === 'expired' ? 'expired' : 'unknown')
      return done(rejection(caller?.key))
    }
    const { name } = caller.access
    const scope = missingScope(request)
    if (scope === undefined) metrics.admitted(name)
    else metrics.refused(name, 'scope')
    done(scope === undefined ? undefined : notAllowed(scope, 'this request'))
  })
}

/**
 * Holds that a request's key has a scope that its route does not always need.
 *
 * @param what needs it, for the message
 * @throws ServiceError `forbidden`
 */
export function assertScope(request: FastifyRequest, scope: KeyScope, what: string): void {
  assertAllowed(accessOf(request), scope, what)
}

/** A route without scopes is for keys that may do everything; an unknown route is 404 for all. */
function missingScope(request: FastifyRequest): KeyScope | undefined {
  const { url, config } = routeOf(request)
  if (url === undefined) return undefined
  const { scopes } = accessOf(request)
  for (const scope of config.scopes ?? SCOPES) if (!scopes.has(scope)) return scope
  return undefined
}

const MESSAGES: Readonly<Record<Caller['key'], string>> = {
  none: 'An API key is required: send Authorization: Bearer <key>',
  known: 'The API key is not known',
  unknown: 'The API key is not known',
  expired: 'The API key has expired',
}

function rejection(key: Caller['key'] = 'none'): ServiceError {
  return new ServiceError('invalid_api_key', MESSAGES[key], { headers: { 'www-authenticate': 'Bearer' } })
}
