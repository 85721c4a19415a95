import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.js'
import { McpCaller } from '../../mcp/mcp-caller.js'
import type { McpEndpoint } from '../../mcp/mcp-endpoint.js'
import { nativeSignal } from '../../util/cancellation.js'
import { accessOf } from '../caller.js'
import { toErrorBody, toServiceError } from '../error-body.js'
import { ownerOf } from '../owner.js'
import { callOf } from '../request-context.js'

/** What answering MCP clients needs. */
export interface AnswerMcpDependencies {
  readonly endpoint: McpEndpoint
  /** Origins of web pages that may talk to it, beside those of this machine. */
  readonly allowedOrigins: readonly string[]
}

/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const INTERNAL_ERROR = -32603

/** Pages of this machine: tools of developers. */
const LOCAL_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** Hands a request to the MCP endpoint, and its answer back: JSON, or a stream of events. */
export function answerMcp({ endpoint, allowedOrigins }: AnswerMcpDependencies) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    assertOrigin(request, allowedOrigins)
    const caller = new McpCaller(accessOf(request), ownerOf(request), callOf(request))
    const response = await endpoint.fetch(toWebRequest(request), request.body, caller)
    if (isStream(response)) endWithServer(request, reply, endpoint)
    return reply.send(response)
  }
}

/** The error of a request that did not get as far as the protocol, as JSON-RPC tells errors. */
export function sendMcpError(thrown: Error, request: FastifyRequest, reply: FastifyReply): void {
  const error = toServiceError(thrown)
  request.failure = error
  const { message, code, details } = toErrorBody(error, request.id).error
  const data = { code, ...(details !== undefined && { details }) }
  reply
    .code(error.status)
    .headers(error.headers)
    .send({ jsonrpc: '2.0', id: null, error: { code: rpcCodeOf(error), message, data } })
}

function rpcCodeOf({ code, status }: ServiceError): number {
  if (code === 'invalid_json') return PARSE_ERROR
  return status < 500 ? INVALID_REQUEST : INTERNAL_ERROR
}

/** A page of another site must not reach a service on its reader's machine, whatever name it gave itself. */
function assertOrigin({ headers: { origin } }: FastifyRequest, allowed: readonly string[]): void {
  if (origin === undefined || LOCAL_ORIGIN.test(origin) || allowed.includes(origin)) return
  throw new ServiceError(
    'forbidden',
    `Pages of ${origin} may not use this: MCP_ALLOWED_ORIGINS names those that may`,
  )
}

/** The same request as the web has it; its body is read already. */
function toWebRequest(request: FastifyRequest): Request {
  const { method, headers } = request
  const signal = nativeSignal(callOf(request).signal)
  return new Request('http://localhost/mcp', { method, headers: toWebHeaders(headers), signal })
}

function toWebHeaders(headers: FastifyRequest['headers']): Headers {
  const copied = new Headers()
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !CONNECTION_HEADERS.has(name)) copied.set(name, String(value))
  return copied
}

/** What belongs to the connection and the body that was read. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
])

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true
}

/** Streams that wait for changes have no end of their own. */
function endWithServer({ server }: FastifyRequest, { raw }: FastifyReply, endpoint: McpEndpoint): void {
  const open = server.openStreams.add(() => void endpoint.endStreams())
  raw.on('close', () => open.remove())
}
