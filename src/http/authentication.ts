import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.js'

/** Paths that answer without a key: probes, metrics and documentation. */
const OPEN = /^\/(healthz|readyz|metrics|openapi\.json|docs)(\/|\?|$)/

/** Asks for a key on every route but the open ones; with no keys configured it does nothing. */
export function addAuthentication(server: FastifyInstance, keys: readonly string[]): void {
  if (keys.length === 0) return
  const digests = keys.map(digest)
  server.addHook('onRequest', (request, _reply, done) => {
    if (OPEN.test(request.url)) return done()
    const key = presentedKey(request)
    if (key !== undefined && isKnown(digest(key), digests)) return done()
    done(rejection(key))
  })
}

/** The key a request carries, as a bearer token or in `x-api-key`. */
export function presentedKey(request: FastifyRequest): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const header = request.headers['x-api-key']
  return bearer ?? (typeof header === 'string' ? header : undefined)
}

function rejection(key: string | undefined): ServiceError {
  const message =
    key === undefined
      ? 'An API key is required: send Authorization: Bearer <key>'
      : 'The API key is not known'
  return new ServiceError('invalid_api_key', message, { headers: { 'www-authenticate': 'Bearer' } })
}

/** Compares digests, all of them, in constant time: neither length nor position of a key shows. */
function isKnown(presented: Buffer, digests: readonly Buffer[]): boolean {
  let known = false
  for (const each of digests) known = timingSafeEqual(presented, each) || known
  return known
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
