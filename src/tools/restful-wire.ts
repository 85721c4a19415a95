import type { Dispatcher } from 'undici'
import { exchangeHttp, type HttpExchange, type HttpReply } from '../transport/http-exchange.js'
import { ACCEPTED_ENCODINGS } from '../transport/refuse-encodings.js'
import { WireError } from '../transport/wire-error.js'
import type { CallContext } from '../util/call-context.js'
import { readForeignJson } from '../util/json/foreign-json.js'
import { type JsonObject, type JsonValue, stringifyJson } from '../util/json/json.js'
import { JsonBoundError } from '../util/json/json-bound-error.js'
import { jsonBytes } from '../util/json/json-pieces.js'
import { TOOL_ANSWER_BOUNDS } from '../util/limits.js'
import { isSmallOnce } from '../util/slices/is-small.js'
import { runInTurns } from '../util/slices/sliced.js'
import { strictTextInPieces } from '../util/slices/text-in-pieces.js'
import { excerpt } from '../util/text/excerpt.js'
import { callHeaders } from './call-headers.js'
import type { HostPolicy } from './host-policy.js'
import { prepareHeaders } from './request-headers.js'
import { ToolFailure } from './tool-failure.js'
import type { ToolSettings } from './tool-settings.js'
import { appendQuery, fillUrl, parseUrl, resolveToolUrl } from './tool-url.js'
import type { PreparedCall, ToolWire, WireCall, WireReply } from './tool-wire.js'

export interface RestfulWireOptions {
  /** Made at the first call. */
  readonly dispatcher: () => Dispatcher
  readonly policy: HostPolicy
  readonly settings: ToolSettings
}

type RestRequest = Pick<HttpExchange, 'url' | 'method' | 'headers' | 'body'>

/** Methods whose arguments travel in the query. */
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'DELETE'])
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Calls tools over HTTP with JSON. Takes the dispatcher as it is; anybody who made it closes it. */
export function createRestfulWire(options: RestfulWireOptions): ToolWire {
  return {
    prepare: (call) => prepareRestful(call, options),
    close: async () => {},
  }
}

function prepareRestful(call: WireCall, options: RestfulWireOptions): PreparedCall {
  const { connection, headers, module } = call.tool
  if (connection.type !== 'restful') throw new ToolFailure('invalid_tool', 'not a restful tool')
  const { policy, settings } = options
  const template = resolveToolUrl(connection.url, module, call.context, {
    byModule: settings.baseUrls,
    fallback: settings.baseUrl,
  })
  const { url, rest } = fillUrl(template, call.arguments)
  policy.assertAllowed(url)
  const method = connection.method.toUpperCase()
  const hasBody = !WITHOUT_BODY.has(method)
  if (!hasBody) appendQuery(url, rest)
  const prepared = prepareHeaders(headers, settings.secrets, url)
  const request = {
    url,
    method,
    headers: { ...ownHeaders(call.caller, settings, hasBody), ...prepared.headers },
  }
  return {
    target: url.origin,
    identity: `${method} ${url.href}`,
    secrets: prepared.secrets,
    async send({ signal }) {
      const body = hasBody ? await toBody(rest) : undefined
      return readReply(await follow({ ...request, body }, options, signal))
    },
  }
}

/** Long ones come as bytes. */
function toBody(args: JsonObject): string | Promise<Buffer> {
  return isSmallOnce(args) ? stringifyJson(args) : writtenInTurns(args)
}

async function writtenInTurns(args: JsonObject): Promise<Buffer> {
  return (await jsonBytes(args)).joinedInTurns()
}

function ownHeaders(
  caller: CallContext,
  settings: ToolSettings,
  hasBody: boolean,
): Readonly<Record<string, string>> {
  return {
    accept: 'application/json, text/*;q=0.9, */*;q=0.1',
    'accept-encoding': ACCEPTED_ENCODINGS,
    'user-agent': settings.userAgent,
    ...callHeaders(caller),
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
  }
}

/** Follows as many redirects as are configured, none by default; each hop must be allowed like the first. */
async function follow(
  first: RestRequest,
  options: RestfulWireOptions,
  signal: AbortSignal,
): Promise<HttpReply> {
  const { dispatcher, policy, settings } = options
  let request = first
  for (let hops = 0; ; hops += 1) {
    const exchange = { ...request, signal, maxBytes: settings.maxResponseBytes }
    const reply = await (hops === 0
      ? exchangeHttp(dispatcher(), exchange)
      : exchangeHttp(dispatcher(), exchange).catch(afterRedirect))
    if (!REDIRECTS.has(reply.status)) return reply
    if (hops >= settings.maxRedirects) throw redirectRefused(request.url, reply)
    request = redirected(request, reply)
    policy.assertAllowed(request.url)
  }
}

/** The tool has answered with a redirect by then: only its first address says whether it was asked. */
function afterRedirect(error: unknown): never {
  if (error instanceof WireError && error.failure === 'unreachable')
    throw new WireError('connection_lost', error.message, { cause: error })
  throw error
}

function redirected(request: RestRequest, { status, headers }: HttpReply): RestRequest {
  const location = String(headers['location'] ?? '')
  if (!URL.canParse(location, request.url.href)) {
    throw new WireError('bad_response', `${request.url.host} answered ${status} without a usable location`)
  }
  const url = parseUrl(new URL(location, request.url).href)
  const keepsBody = status === 307 || status === 308 || WITHOUT_BODY.has(request.method)
  const { 'content-type': contentType, ...others } = request.headers
  // A document's headers may hold credentials: another origin gets none of them.
  const safeHeaders = url.origin === request.url.origin ? others : withoutDocumentHeaders(others)
  if (!keepsBody) return { url, method: 'GET', body: undefined, headers: safeHeaders }
  const typed = contentType === undefined ? safeHeaders : { ...safeHeaders, 'content-type': contentType }
  return { url, method: request.method, body: request.body, headers: typed }
}

function withoutDocumentHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const kept = ['accept-encoding', 'user-agent', 'x-request-id', 'traceparent', 'idempotency-key']
  return Object.fromEntries(Object.entries(headers).filter(([name]) => kept.includes(name)))
}

function redirectRefused(url: URL, { status, headers }: HttpReply): WireError {
  const location = String(headers['location'] ?? '')
  const host = URL.canParse(location, url.href) ? ` to ${new URL(location, url).host}` : ''
  return new WireError(
    'redirect_refused',
    `${url.host} answered ${status}, a redirect${host}, which is not followed`,
  )
}

async function readReply(reply: HttpReply): Promise<WireReply> {
  const { status, headers, body } = reply
  const type = String(headers['content-type'] ?? '').toLowerCase()
  if (status < 200 || status >= 300) throw statusFailure(status, body)
  if (body.length === 0) return { value: '', warnings: [] }
  const text = await decodeText(body, type)
  if (/[/+]json\b/.test(type)) return { value: await readJson(text), warnings: [] }
  return { value: type === '' ? ((await tryJson(text)) ?? text) : text, warnings: [] }
}

function statusFailure(status: number, body: Buffer): WireError {
  const overloaded = status === 408 || status === 429
  const line = excerpt(body.toString('utf8'))
  const message = `answered ${status}${line === '' ? '' : `: ${line}`}`
  return new WireError(status < 500 && !overloaded ? 'rejected' : 'upstream_error', message)
}

/** Shorter answers are decoded in no time. */
const LONG_BYTES = 65_536

async function decodeText(body: Buffer, type: string): Promise<string> {
  const charset = /charset="?([\w.:-]+)/.exec(type)?.[1] ?? 'utf-8'
  try {
    if (body.length <= LONG_BYTES) return new TextDecoder(charset, { fatal: true }).decode(body)
    return await runInTurns(strictTextInPieces(body, charset))
  } catch (cause) {
    throw new WireError(
      'bad_response',
      `the answer (${type === '' ? 'no content-type' : type}) is not text`,
      { cause },
    )
  }
}

async function readJson(text: string): Promise<JsonValue> {
  try {
    return await readForeignJson(text, TOOL_ANSWER_BOUNDS)
  } catch (cause) {
    const problem = cause instanceof JsonBoundError ? cause.message : 'says it is JSON, but does not parse'
    throw new WireError('bad_response', `the answer ${problem}`, { cause })
  }
}

async function tryJson(text: string): Promise<JsonValue | undefined> {
  try {
    return await readForeignJson(text, TOOL_ANSWER_BOUNDS)
  } catch {
    return undefined
  }
}
