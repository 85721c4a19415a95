import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ERRORS, type ServiceError } from '../errors.js'
import type { Logger } from '../util/logger.js'
import { type Metrics, SECONDS_BUCKETS } from '../util/metrics.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** When it came in, by `performance.now()`. */
    startedAt: number
    /** What failed, for the one log line; set by the error handler. */
    failure: ServiceError | null
    /** Further fields of the log line, such as `prompt` and `attempts`. Never contents. */
    logFields: Readonly<Record<string, unknown>> | null
    /** Created on first use by `clientSignal`. */
    goneController: AbortController | null
    /** True once the connection closed before the answer was out. */
    clientGone: boolean
  }
}

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** Makes request ids: the client's own when it is well formed, else a random beginning and a counter. */
export function createRequestIds(): (request: IncomingMessage) => string {
  const beginning = randomBytes(6).toString('hex')
  let count = 0
  return (request) => {
    const given = request.headers['x-request-id']
    if (typeof given === 'string' && REQUEST_ID.test(given)) return given
    count += 1
    return `req-${beginning}-${count.toString(36)}`
  }
}

/** The W3C trace context to pass on, if the request carries a well-formed one. */
export function traceparentOf(request: FastifyRequest): string | undefined {
  const given = request.headers['traceparent']
  return typeof given === 'string' && TRACEPARENT.test(given) ? given : undefined
}

/**
 * Aborts when the client goes away before the answer is out. Fastify's own `request.signal` misfires for POST
 * bodies, so this listens to the response's `close`. Created on first use: most renders never need it.
 */
export function clientSignal(request: FastifyRequest): AbortSignal {
  if (request.goneController === null) {
    request.goneController = new AbortController()
    if (request.clientGone) request.goneController.abort()
  }
  return request.goneController.signal
}

export interface RequestContextOptions {
  readonly logger: Logger
  readonly metrics: Metrics
}

/** Request ids out, one log line per request, request metrics, client-gone detection. */
export function addRequestContext(server: FastifyInstance, options: RequestContextOptions): void {
  const finish = createFinisher(options)
  server.decorateRequest('startedAt', 0)
  server.decorateRequest('failure', null)
  server.decorateRequest('logFields', null)
  server.decorateRequest('goneController', null)
  server.decorateRequest('clientGone', false)
  server.addHook('onRequest', (request, reply, done) => {
    request.startedAt = performance.now()
    reply.raw.once('close', () => finish(request, reply))
    done()
  })
  server.addHook('onSend', (request, reply, payload, done) => {
    reply.header('x-request-id', request.id)
    done(null, payload)
  })
}

/** Status of a request whose client left before the answer was out. */
const GONE = ERRORS.client_closed_request.status

function createFinisher({ logger, metrics }: RequestContextOptions) {
  const total = metrics.counter('http_requests_total', 'Requests answered', ['method', 'route', 'status'])
  const seconds = metrics.histogram(
    'http_request_duration_seconds',
    'Time to the last byte',
    SECONDS_BUCKETS,
    ['method', 'route'],
  )
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const gone = !reply.raw.writableEnded
    if (gone) {
      request.clientGone = true
      request.goneController?.abort()
    }
    const status = gone ? GONE : reply.raw.statusCode
    const durationMs = performance.now() - request.startedAt
    const route = request.routeOptions.url ?? 'unmatched'
    total.with(request.method, route, String(status)).value += 1
    seconds.with(request.method, route).observe(durationMs / 1000)
    log(logger, request, route, status, durationMs)
  }
}

function log(
  logger: Logger,
  request: FastifyRequest,
  route: string,
  status: number,
  durationMs: number,
): void {
  const { failure } = request
  const level = failure === null ? 'info' : ERRORS[failure.code].logLevel
  if (!logger.isLevelEnabled(level)) return
  const fields: Record<string, unknown> = {
    requestId: request.id,
    method: request.method,
    route,
    status,
    durationMs: Math.round(durationMs * 1000) / 1000,
    ...request.logFields,
  }
  const traceparent = traceparentOf(request)
  if (traceparent !== undefined) fields['traceparent'] = traceparent
  if (failure !== null) {
    fields['code'] = failure.code
    fields['error'] = failure.message
    if (failure.cause !== undefined) fields['err'] = failure.cause
  }
  logger[level](fields, 'request')
}
