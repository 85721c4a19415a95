import type { FastifyRequest } from 'fastify'
import type { DestinationStream } from 'pino'
import { ERRORS, type ServiceError } from '../../errors.js'
import { TemplateError } from '../../template/host.js'
import { pino } from '../../util/packages/pino.js'
import { loggedError, loggedMessage } from '../../util/telemetry/logged-error.js'
import type { Logger } from '../../util/telemetry/logger.js'
import { clipped } from '../../util/text/clipped.js'
import { formatMilliseconds } from '../../util/time/milliseconds.js'
import { traceparentOf } from '../requests/traceparent.js'

type AccessLog = (request: FastifyRequest, route: string, status: number, durationMs: number) => void

/**
 * One line per request. A request that went well is the common case, and its line is assembled from parts that
 * are known to be plain: the general way costs a quarter of a request.
 */
export function createAccessLog(logger: Logger): AccessLog {
  const stream = streamOf(logger)
  const timestamp = createTimestamps()
  const infoLevel = logger.levels.values['info']
  const bound = Object.entries(logger.bindings()).map(
    ([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`,
  )
  const always = bound.join('')
  return (request, route, status, durationMs) => {
    const { failure } = request
    if (failure !== undefined) return logFailure(logger, request, failure, route, status, durationMs)
    if (!logger.isLevelEnabled('info')) return
    const duration = formatMilliseconds(durationMs)
    const { id, method, logFields } = request
    stream.write(
      `{"level":${infoLevel},"time":"${timestamp()}"${always},"requestId":"${id}","method":"${method}","route":"${route}","status":${status},"durationMs":${duration}${extra(request, logFields)},"msg":"request"}\n`,
    )
  }
}

/** Where the logger writes: its one documented symbol that is not in its type. */
function streamOf(logger: Logger): DestinationStream {
  const stream: unknown = Reflect.get(logger, pino.symbols.streamSym)
  if (!isStream(stream)) throw new TypeError('the logger writes nowhere')
  return stream
}

function isStream(value: unknown): value is DestinationStream {
  return typeof value === 'object' && value !== null && 'write' in value && typeof value.write === 'function'
}

function extra(request: FastifyRequest, fields: FastifyRequest['logFields']): string {
  const text = toMembers(fields)
  const name = request.caller?.access.name
  // The form of names is plain: the schema of keys says so.
  const key = name === undefined ? '' : `,"key":"${name}"`
  return text + key + toMembers(traceOf(request))
}

function toMembers(fields: FastifyRequest['logFields']): string {
  let text = ''
  for (const name in fields) {
    const value = fields[name]
    if (value !== undefined) text += `,"${name}":${toJson(name, value)}`
  }
  return text
}

/** Texts that JSON has as they are: names and ids, most of them. */
const PLAIN = /^[\w .:/@+-]*$/

/** Ten days: nothing that is measured takes longer. */
const MAX_PRINTED_MS = 864_000_000

/** The usual values without a call for each, and times without printing a double. Row `chat` of `npm run bench:price`. */
function toJson(name: string, value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value))
    return name.endsWith('Ms') && value >= 0 && value < MAX_PRINTED_MS
      ? formatMilliseconds(value)
      : String(value)
  return typeof value === 'string' && PLAIN.test(value) ? `"${value}"` : JSON.stringify(value)
}

/** The span as OpenTelemetry names it in logs, or else the one that the client named. */
function traceOf(request: FastifyRequest): FastifyRequest['logFields'] {
  const { span } = request
  if (span !== undefined) return { trace_id: span.ids.traceId, span_id: span.ids.spanId }
  const traceparent = traceparentOf(request)
  return traceparent === undefined ? null : { traceparent }
}

function logFailure(
  logger: Logger,
  request: FastifyRequest,
  failure: ServiceError,
  route: string,
  status: number,
  durationMs: number,
): void {
  logger[ERRORS[failure.code].logLevel](
    {
      requestId: request.id,
      method: request.method,
      route,
      status,
      durationMs: Math.round(durationMs * 1000) / 1000,
      ...request.logFields,
      key: request.caller?.access.name,
      ...traceOf(request),
      code: failure.code,
      ...factsOf(failure),
    },
    'request',
  )
}

/** What the log says of a failure: its message, or where its message may repeat contents, the place in the template. */
function factsOf(failure: ServiceError): object {
  const message = loggedMessage(failure)
  return {
    ...(message !== undefined && { error: message }),
    ...(failure instanceof TemplateError && placeOf(failure)),
    ...(failure.cause !== undefined && { err: loggedError(failure.cause, message !== undefined) }),
  }
}

function placeOf({ template, line, column, reason }: TemplateError): object {
  return { at: `${clipped(template, MAX_NAME)}:${line}:${column}`, reason }
}

/** Characters of a template's name: an inline one may give itself any. */
const MAX_NAME = 200

/** ISO times; all but the milliseconds is made once per second. */
function createTimestamps(): () => string {
  let second = 0
  let beginning = ''
  return () => {
    const now = Date.now()
    const milliseconds = now % 1_000
    if (now - milliseconds !== second) {
      second = now - milliseconds
      beginning = new Date(now).toISOString().slice(0, -'000Z'.length)
    }
    const padding = milliseconds < 10 ? '00' : milliseconds < 100 ? '0' : ''
    return `${beginning}${padding}${milliseconds}Z`
  }
}
