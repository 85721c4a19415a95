import type { FastifyRequest } from 'fastify'
import type { DestinationStream } from 'pino'
import { ERRORS, type ServiceError } from '../../errors.js'
import { TemplateError } from '../../template/host.js'
import { pino } from '../../util/packages/pino.js'
import type { LaterLine, LogOutput } from '../../util/telemetry/log-output.js'
import { loggedError, loggedMessage } from '../../util/telemetry/logged-error.js'
import type { Logger } from '../../util/telemetry/logger.js'
import { clipped } from '../../util/text/clipped.js'
import { formatMilliseconds } from '../../util/time/milliseconds.js'
import { traceparentOf } from '../requests/traceparent.js'

type AccessLog = (request: FastifyRequest, route: string, status: number, durationMs: number) => void

/**
 * One line per request. A request that went well is the common case, and its line is assembled from parts that
 * are known to be plain: the general way costs a quarter of a request. Where the output takes lines whose texts are made
 * later, that is done for many requests together.
 */
export function createAccessLog(logger: Logger): AccessLog {
  const stream = streamOf(logger)
  const bound = Object.entries(logger.bindings()).map(
    ([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`,
  )
  const form = {
    level: logger.levels.values['info'],
    bound: bound.join(''),
    timestamp: createTimestamps(),
  }
  return (request, route, status, durationMs) => {
    const { failure } = request
    if (failure !== undefined) return logFailure(logger, request, failure, route, status, durationMs)
    if (!logger.isLevelEnabled('info')) return
    const line = new RequestLine(form, request, route, status, durationMs)
    if (stream.writeLater === undefined) stream.write(line.toText())
    else stream.writeLater(line)
  }
}

/** What the lines of a log have in common. */
interface LineForm {
  readonly level: number | undefined
  /** Members that the logger adds to each. */
  readonly bound: string
  readonly timestamp: (now: number) => string
}

/** What the log says of a request. It does not hold the request itself. */
class RequestLine implements LaterLine {
  readonly #form: LineForm
  readonly #endedAt = Date.now()
  readonly #id: string
  readonly #method: string
  readonly #route: string
  readonly #status: number
  readonly #durationMs: number
  readonly #fields: FastifyRequest['logFields']
  readonly #key: string | undefined
  readonly #trace: FastifyRequest['logFields']

  constructor(form: LineForm, request: FastifyRequest, route: string, status: number, durationMs: number) {
    this.#form = form
    this.#id = request.id
    this.#method = request.method
    this.#route = route
    this.#status = status
    this.#durationMs = durationMs
    this.#fields = request.logFields
    this.#key = request.caller?.access.name
    this.#trace = traceOf(request)
  }

  toText(): string {
    const { level, bound, timestamp } = this.#form
    const duration = formatMilliseconds(this.#durationMs)
    // The form of names is plain: the schema of keys says so.
    const key = this.#key === undefined ? '' : `,"key":"${this.#key}"`
    const extra = toMembers(this.#fields) + key + toMembers(this.#trace)
    return `{"level":${level},"time":"${timestamp(this.#endedAt)}"${bound},"requestId":"${this.#id}","method":"${this.#method}","route":"${this.#route}","status":${this.#status},"durationMs":${duration}${extra},"msg":"request"}\n`
  }
}

/** Where the logger writes: its one documented symbol that is not in its type. */
function streamOf(logger: Logger): LineStream {
  const stream: unknown = Reflect.get(logger, pino.symbols.streamSym)
  if (!isStream(stream)) throw new TypeError('the logger writes nowhere')
  return stream
}

type LineStream = DestinationStream & Pick<LogOutput, 'writeLater'>

function isStream(value: unknown): value is LineStream {
  return typeof value === 'object' && value !== null && 'write' in value && typeof value.write === 'function'
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
function createTimestamps(): (now: number) => string {
  let second = 0
  let beginning = ''
  return (now) => {
    const milliseconds = now % 1_000
    if (now - milliseconds !== second) {
      second = now - milliseconds
      beginning = new Date(now).toISOString().slice(0, -'000Z'.length)
    }
    const padding = milliseconds < 10 ? '00' : milliseconds < 100 ? '0' : ''
    return `${beginning}${padding}${milliseconds}Z`
  }
}
