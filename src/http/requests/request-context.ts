import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { ERRORS, type ServiceError } from '../../errors.js'
import type { CallContext } from '../../util/call-context.js'
import { Cancellation } from '../../util/cancellation.js'
import { getOrCreate } from '../../util/get-or-create.js'
import type { Logger } from '../../util/telemetry/logger.js'
import type { Count, Distribution, Metrics } from '../../util/telemetry/metrics.js'
import { ATTRIBUTE, SPAN } from '../../util/telemetry/span-names.js'
import type { Span, Tracer } from '../../util/telemetry/tracer.js'
import { addCommonHeaders } from '../answers/write-answer.js'
import { isOpenRoute } from '../doors/open-routes.js'
import { announceKeepAlive } from '../listening/idle-connections.js'
import { createAccessLog } from '../status/access-log.js'
import { createFramingCheck } from './request-framing.js'
import { routeOf } from './route-of.js'
import { splitKeyOf } from './split-key.js'
import { traceparentOf } from './traceparent.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Requests whose answers are not out yet, and all that ever began. */
    inFlight: { count: number; begun: number }
  }
  interface FastifyRequest {
    /** When it came in, by `performance.now()`. */
    startedAt: number
    /** Further fields of the log line, such as `prompt` and `attempts`. Never contents. */
    logFields: Readonly<Record<string, unknown>> | null
    /** For whom its work is done; made on first use by `callOf`. */
    call: CallContext | null
    // What few requests have is not set at the beginning.
    /** What failed, for the one log line; set by the error handler. */
    failure?: ServiceError
    /** Aborts the call; set with it. */
    cancellation?: Cancellation
    /** True once the connection closed before the answer was out. */
    clientGone?: boolean
    /** Its span, where spans are collected. */
    span?: Span
  }
}

/** Also safe inside JSON as it is: the log line is assembled. */
const REQUEST_ID = /^[\w.:/+=@~-]{1,128}$/

/** Makes request ids: the client's own when it is well formed, else a random beginning and a counter. */
export function createRequestIds(): (request: { readonly headers: IncomingHttpHeaders }) => string {
  const beginning = randomBytes(6).toString('hex')
  let count = 0
  return (request) => {
    const given = request.headers['x-request-id']
    if (typeof given === 'string' && REQUEST_ID.test(given)) return given
    count += 1
    return `req-${beginning}-${count}`
  }
}

/**
 * For whom a request's work is done. Its signal aborts when the client goes away before the answer is out: Fastify's
 * own `request.signal` misfires for POST bodies, so this one hears of the response's `close`.
 */
export function callOf(request: FastifyRequest): CallContext {
  request.call ??= toCallContext(request)
  return request.call
}

function toCallContext(request: FastifyRequest): CallContext {
  const { span, clientGone } = request
  const signal = new Cancellation()
  if (clientGone === true) signal.abort()
  request.cancellation = signal
  const traceparent = span?.traceparent ?? traceparentOf(request)
  return {
    requestId: request.id,
    traceparent,
    isTraced: span?.isRecorded,
    signal,
    splitKey: splitKeyOf(request),
    caller: request.caller?.id,
  }
}

export interface RequestContextOptions {
  readonly logger: Logger
  readonly metrics: Metrics
  /** Makes spans of requests; undefined for none. */
  readonly tracer?: Tracer | undefined
}

/** Request ids out, one log line per request, request metrics, client-gone detection. */
export function addRequestContext(server: FastifyInstance, options: RequestContextOptions): void {
  const finish = createFinisher(options)
  const { tracer } = options
  const logger: FastifyBaseLogger = options.logger
  // Fastify has none of its own: it would hear of the end of each response, to write no line about it. What it has to say
  // of a handler that fails after its answer comes here. Row `render` of `npm run bench:price`.
  server.log = logger
  const checkFraming = createFramingCheck()
  const inFlight = { count: 0, begun: 0 }
  server.decorate('inFlight', inFlight)
  options.metrics.gauge(
    'http_requests_in_flight',
    'Requests whose answers are not out yet',
    () => inFlight.count,
  )
  // One function for all responses: a closure and a `once` wrapper per request would cost more than the rest.
  const onClose = function (this: ServerResponse & { [REQUEST]?: FastifyRequest }): void {
    inFlight.count -= 1
    const request = this[REQUEST]
    if (request !== undefined) finish(request, this)
  }
  server.addHook('onRequest', (request, reply, done) => {
    // Not decorated: Fastify sets decorations by name in a loop, which V8 cannot compile to stores.
    request.startedAt = performance.now()
    request.logFields = null
    request.call = null
    request.caller = null
    request.route = request.routeOptions
    request.log = logger
    reply.log = logger
    inFlight.count += 1
    inFlight.begun += 1
    if (tracer !== undefined && !isOpenRoute(request)) request.span = startSpan(tracer, request)
    const raw: ServerResponse & { [REQUEST]?: FastifyRequest } = reply.raw
    raw[REQUEST] = request
    announceKeepAlive(raw)
    raw.on('close', onClose)
    raw.on('error', ignore)
    done(checkFraming(request.raw))
  })
  server.addHook('onSend', (request, reply, payload, done) => {
    addCommonHeaders(request, reply)
    done(null, payload)
  })
}

const REQUEST = Symbol('request')

/** A response that fails closes, and is counted and logged then. */
function ignore(): void {}

/** The request that a response answers, unless it failed before routing. */
export function requestOf(
  response: ServerResponse & { [REQUEST]?: FastifyRequest },
): FastifyRequest | undefined {
  return response[REQUEST]
}

/** Status of a request whose client left before the answer was out. */
const GONE = ERRORS.client_closed_request.status

function createFinisher({ logger, metrics }: RequestContextOptions) {
  const measure = createMeasure(metrics)
  const writeLine = createAccessLog(logger)
  return (request: FastifyRequest, response: ServerResponse): void => {
    const gone = !response.writableEnded
    if (gone) {
      request.clientGone = true
      request.cancellation?.abort()
    }
    const status = gone ? GONE : response.statusCode
    const durationMs = performance.now() - request.startedAt
    const route = routeOf(request).url ?? 'unmatched'
    measure(request.method, route, status, durationMs / 1000)
    writeLine(request, route, status, durationMs)
    if (request.span !== undefined) endSpan(request.span, request, status)
  }
}

function startSpan(tracer: Tracer, request: FastifyRequest): Span {
  const { url: route = 'unmatched' } = routeOf(request)
  return tracer.start(SPAN.request(request.method, route), 'server', traceparentOf(request), {
    [ATTRIBUTE.method]: request.method,
    [ATTRIBUTE.route]: route,
  })
}

/** An invalid request is not a failure of the service. */
function endSpan(span: Span, request: FastifyRequest, status: number): void {
  if (!span.isRecorded) return
  span.set({
    [ATTRIBUTE.requestId]: request.id,
    [ATTRIBUTE.status]: status,
    [ATTRIBUTE.key]: request.caller?.access.name,
  })
  if (status === GONE) span.end('client_closed_request')
  else span.end(status >= 500 ? (request.failure?.code ?? String(status)) : undefined)
}

interface RouteMeasures {
  readonly seconds: Distribution
  readonly byStatus: Map<number, Count>
}

/** Counts by method, route and status. Both names are texts that were looked up before: no new one is made for a request. */
function createMeasure(metrics: Metrics) {
  const total = metrics.counter('http_requests_total', 'Requests answered', ['method', 'route', 'status'])
  const durations = metrics.histogram('http_request_duration_seconds', 'Time to the last byte', [
    'method',
    'route',
  ])
  const routes = new Map<string, Map<string, RouteMeasures>>()
  return (method: string, route: string, status: number, seconds: number): void => {
    const methods = getOrCreate(routes, route, newMethods)
    let measures = methods.get(method)
    if (measures === undefined) {
      measures = { seconds: durations.with(method, route), byStatus: new Map() }
      methods.set(method, measures)
    }
    let count = measures.byStatus.get(status)
    if (count === undefined) {
      count = total.with(method, route, String(status))
      measures.byStatus.set(status, count)
    }
    count.value += 1
    measures.seconds.observe(seconds)
  }
}

function newMethods(): Map<string, RouteMeasures> {
  return new Map()
}
