import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceError } from '../../errors.js'
import { McpCaller } from '../../mcp/mcp-caller.js'
import type { McpEndpoint } from '../../mcp/mcp-endpoint.js'
import { toErrorBody, toServiceError } from '../answers/error-body.js'
import { writeAnswer } from '../answers/write-answer.js'
import { accessOf } from '../doors/caller.js'
import { ownerOf } from '../doors/owner.js'
import { callOf } from '../requests/request-context.js'

/** What answering MCP clients needs. */
export interface AnswerMcpDependencies {
  readonly endpoint: McpEndpoint
}

/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const INTERNAL_ERROR = -32603

/** Hands a request to the MCP endpoint, and its answer back: JSON, or a stream of events. */
export function answerMcp({ endpoint }: AnswerMcpDependencies) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const caller = new McpCaller(accessOf(request), ownerOf(request), callOf(request))
    // The first request has the SDK read piece by piece, and the classes of the web before one is made.
    await endpoint.load()
    const response = await endpoint.fetch(toWebRequest(request), request.body, caller)
    if (isJson(response)) return sendWhole(request, reply, response)
    if (isStream(response)) endWithServer(request, reply, endpoint)
    return reply.send(response)
  }
}

/** The error of a request that failed before the protocol, in the form of JSON-RPC. */
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

/**
 * The same request as the web has it, as far as the protocol looks at it; its body is read already. It has no signal:
 * the call has one.
 */
function toWebRequest({ method, headers }: FastifyRequest): Request {
  const ofProtocol = Object.entries(headers).filter(([name]) => PROTOCOL_HEADER.test(name))
  return new Request('http://localhost/mcp', {
    method,
    headers: ofProtocol.map(([name, value]) => [name, String(value)]),
  })
}

/** `mcp-method` and its like, and what the streamable transport decides by. */
const PROTOCOL_HEADER = /^(mcp-.*|accept|content-type|last-event-id)$/

/** Most answers: sent with others of the same turn, rather than as the stream that Fastify makes of them. */
async function sendWhole(request: FastifyRequest, reply: FastifyReply, response: Response): Promise<void> {
  const text = await response.text()
  const length = Buffer.byteLength(text)
  // As in a render: ASCII is written faster by another name.
  const encoding = length === text.length ? 'latin1' : 'utf8'
  writeAnswer(request, reply, [...response.headers].flat(), { text, encoding, length }, response.status)
}

function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('application/json') === true
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true
}

/** Streams that wait for changes have no end of their own. */
function endWithServer({ server }: FastifyRequest, { raw }: FastifyReply, endpoint: McpEndpoint): void {
  const open = server.openStreams.add(() => void endpoint.endStreams())
  raw.on('close', () => open.remove())
}
