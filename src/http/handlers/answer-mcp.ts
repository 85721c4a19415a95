import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceError } from '../../errors.js'
import { HeldJson } from '../../mcp/held-json.js'
import { McpCaller } from '../../mcp/mcp-caller.js'
import type { McpEndpoint } from '../../mcp/mcp-endpoint.js'
import { isJsonObject } from '../../util/json/json.js'
import { pause } from '../../util/slices/pause.js'
import { toErrorBody, toServiceError } from '../answers/error-body.js'
import { writeTexts } from '../answers/write-answer.js'
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
    const held = new HeldJson()
    const caller = new McpCaller(accessOf(request), ownerOf(request), callOf(request), held)
    // The first request has the SDK read piece by piece, and the classes of the web before one is made.
    await endpoint.load()
    const response = await endpoint.fetch(toWebRequest(request), request.body, caller)
    if (isJson(response)) return sendWhole(request, reply, response, held)
    if (!isStream(response)) return reply.send(response)
    endWithServer(request, reply, endpoint)
    return mayBeLarge(request.body) ? sendEvents(request, reply, response, held) : reply.send(response)
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
async function sendWhole(
  request: FastifyRequest,
  reply: FastifyReply,
  response: Response,
  held: HeldJson,
): Promise<unknown> {
  const text = await response.text()
  if (held.isEmpty) return writeWhole(request, reply, response, text)
  reply.code(response.status).headers(Object.fromEntries(response.headers)).removeHeader('content-length')
  return reply.send(Readable.from(held.whole(text), { objectMode: false }))
}

function writeWhole(
  request: FastifyRequest,
  reply: FastifyReply,
  { headers, status }: Response,
  text: string,
): Promise<void> | undefined {
  return writeTexts(request, reply, [...headers].flat(), [text], status)
}

/** What these answer is what the catalog, its templates and tools make of it. */
const LARGE_ANSWERS = new Set<unknown>(['resources/read', 'prompts/get', 'tools/call'])

function mayBeLarge(body: unknown): boolean {
  // Several messages come as a list.
  return Array.isArray(body) || (isJsonObject(body) && LARGE_ANSWERS.has(body['method']))
}

/** A stream of events. Most are a single one, which is sent as a whole: a stream of the web takes longer than a render. */
async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  response: Response,
  held: HeldJson,
): Promise<unknown> {
  const reader = response.body?.getReader()
  if (reader === undefined) return reply.send(response)
  const first = await reader.read()
  const second = reader.read()
  // What is over is over by the end of this turn.
  const isOver = (await Promise.race([second, pause()]))?.done === true
  if (first.value !== undefined && isOver && held.isEmpty)
    return writeWhole(request, reply, response, Buffer.from(first.value).toString())
  const { status, headers } = response
  return reply.send(new Response(withHeld(reader, [first, second], held), { status, headers }))
}

type Reader = ReadableStreamDefaultReader<Uint8Array>
type Read = Awaited<ReturnType<Reader['read']>>

/** Events, each with the large values that the SDK has only in name. */
function withHeld(
  reader: Reader,
  begun: (Read | Promise<Read>)[],
  held: HeldJson,
): ReadableStream<Uint8Array> {
  let pieces: AsyncGenerator<string> | undefined
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const piece = await pieces?.next()
        if (piece !== undefined && piece.done !== true) return controller.enqueue(Buffer.from(piece.value))
        pieces = undefined
        const { done, value } = await (begun.shift() ?? reader.read())
        if (done) return controller.close()
        if (held.isEmpty) return controller.enqueue(value)
        pieces = held.whole(Buffer.from(value).toString())
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
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
