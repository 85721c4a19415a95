import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { redactForCaller } from '../../access/redact-for-caller.js'
import { ServiceError } from '../../errors.js'
import { anthropicStatus } from '../../schema/error-answers.js'
import { at } from '../../util/at.js'
import { unknownName } from '../../util/errors/unknown-name.js'
import { getOrCreate } from '../../util/get-or-create.js'
import { toAnthropicError, wantsAnthropicShape } from '../anthropic/anthropic-error.js'
import { accessOf } from '../doors/caller.js'
import { announceKeepAlive } from '../listening/idle-connections.js'
import { PIPELINED_TOO_MUCH } from '../requests/limit-pipelining.js'
import { toErrorBody, toServiceError } from './error-body.js'
import { isAlias, wantsLegacyShape, withLegacyError } from './legacy-api.js'
import { writeAnswer } from './write-answer.js'

const CONTENT_TYPE = 'application/json; charset=utf-8'

/** The one place where errors become answers. */
export function addErrorHandling(server: FastifyInstance): void {
  const routes = collectRoutes(server)
  server.setErrorHandler((thrown, request, reply) => {
    sendError(request, reply, thrown)
  })
  server.setNotFoundHandler((request, reply) => {
    sendError(request, reply, routes.explain(request.method, at(request.url.split('?'), 0)))
  })
}

/** Answers with an error's status, headers and body, and keeps it for the log line. */
function sendError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): void {
  const failure = toServiceError(thrown)
  if (failure.code === 'overloaded') return void writeError(request, reply, failure)
  request.failure = failure
  const error = redactForCaller(accessOf(request), failure)
  reply
    .code(statusOf(error, request))
    .headers(error.headers)
    .type(CONTENT_TYPE)
    .serializer((answer) => JSON.stringify(answer))
    .send(bodyOf(error, request))
}

/**
 * Answers with an error, together with the other answers of this turn of the event loop: for refusals under load, each of which
 * would otherwise cost as much as what it makes room for.
 */
export function writeError(request: FastifyRequest, reply: FastifyReply, error: ServiceError): void {
  request.failure = error
  const text = JSON.stringify(bodyOf(error, request))
  const headers = ['content-type', CONTENT_TYPE, ...Object.entries(error.headers).flat()]
  const body = { text, encoding: 'utf8', length: Buffer.byteLength(text) } as const
  writeAnswer(request, reply, headers, body, statusOf(error, request))
}

function bodyOf(error: ServiceError, request: FastifyRequest): object {
  const body = toErrorBody(error, request.id)
  if (wantsAnthropicShape(request)) return toAnthropicError(body, error.code)
  const isLegacy = isAlias(request) || wantsLegacyShape(request)
  return isLegacy ? withLegacyError(body, error.status) : body
}

function statusOf({ code, status }: ServiceError, request: FastifyRequest): number {
  return wantsAnthropicShape(request) ? anthropicStatus(code, status) : status
}

/** Answers a request that fails before routing (malformed urls), where hooks do not run. */
export function answerFrameworkError(thrown: Error, request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id)
  announceKeepAlive(reply.raw)
  sendError(request, reply, new ServiceError('invalid_request', thrown.message, { cause: thrown }))
}

/** Statuses of requests that never became whole, by Node's error code. */
const BROKEN_REQUESTS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large'],
}

/** Answers what never became a request: with the usual error body, written to the bare socket. */
export function answerBrokenRequest(
  error: Error & { readonly code?: string },
  socket: Socket,
  requestId: string,
): void {
  // A client that pipelined would take an answer for that to an earlier request.
  const isLost = error.code === 'ECONNRESET' || error.code === PIPELINED_TOO_MUCH
  if (isLost || !socket.writable) return void socket.destroy()
  const [status, message] = BROKEN_REQUESTS[error.code ?? ''] ?? [400, `This is not HTTP: ${error.message}`]
  socket.end(bareAnswer(status, new ServiceError('invalid_request', message), requestId))
}

/** A whole HTTP answer with an error, for a socket that no response object can be used on any more. */
export function bareAnswer(status: number, error: ServiceError, requestId: string): string {
  const body = JSON.stringify(toErrorBody(error, requestId))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'x-content-type-options: nosniff',
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

interface KnownRoute {
  readonly url: string
  /** Made for the first path that no route has: most services never meet one. */
  pattern: RegExp | undefined
  readonly methods: Set<string>
}

function fits(route: KnownRoute, path: string): boolean {
  route.pattern ??= toPattern(route.url)
  return route.pattern.test(path)
}

/** Remembers every route, so that a wrong method is 405 and a mistyped path gets a suggestion. */
function collectRoutes(server: FastifyInstance) {
  const known = new Map<string, KnownRoute>()
  server.addHook('onRoute', ({ url, method, schema }) => {
    if (schema?.hide === true) return
    const route = getOrCreate(known, url, () => ({ url, pattern: undefined, methods: new Set<string>() }))
    for (const each of [method].flat()) route.methods.add(each)
  })
  return {
    explain(method: string, path: string): ServiceError {
      const allowed = [...known.values()]
        .filter((route) => fits(route, path))
        .flatMap(({ methods }) => [...methods])
      if (allowed.length === 0) return notFound(method, path, urlsLike(path, known))
      const list = [...new Set(allowed)].sort().join(', ')
      return new ServiceError(
        'method_not_allowed',
        `Method ${method} is not allowed for ${path.slice(0, MAX_SHOWN_PATH)}. Allowed: ${list}`,
        {
          headers: { allow: list },
        },
      )
    },
  }
}

/** The URLs that a mistyped path may mean: those without parameters, and the others with the path's own in their places. */
function urlsLike(path: string, known: ReadonlyMap<string, KnownRoute>): readonly string[] {
  const parts = path.slice(0, MAX_SHOWN_PATH).split('/')
  return [...known.keys()].flatMap((url) => {
    const names = url.split('/')
    if (url.includes('*') || (url.includes(':') && names.length !== parts.length)) return []
    return [names.map((name, index) => (name.startsWith(':') ? (parts[index] ?? name) : name)).join('/')]
  })
}

/** Characters of a path that an error repeats. */
const MAX_SHOWN_PATH = 200

function notFound(method: string, path: string, urls: readonly string[]): ServiceError {
  return unknownName('route_not_found', `No route ${method} ${path.slice(0, MAX_SHOWN_PATH)}`, path, urls)
}

function toPattern(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) =>
      part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    )
    .join('/')
  return new RegExp(`^${source}$`)
}
