import { type Dispatcher, fetch, type RequestInit, Response } from 'undici'
import { readForeignJson } from '../util/json/foreign-json.js'
import type { JsonValue } from '../util/json/json.js'
import { TOOL_ANSWER_BOUNDS } from '../util/limits.js'
import { pause } from '../util/slices/pause.js'
import { type ByteBounds, JsonByteBounds } from './json-byte-bounds.js'
import { ACCEPTED_ENCODINGS } from './refuse-encodings.js'
import { WireError } from './wire-error.js'

/** What belongs to the one call that a fetch is made for. */
export interface FetchScope {
  /** Ends the exchange, whatever the library in between does about it. */
  readonly signal: AbortSignal
  readonly headers: Readonly<Record<string, string>>
  /** Called if the exchange breaks in a way that a library in between may swallow. */
  readonly fail: (error: WireError) => void
}

export interface GuardedFetchOptions {
  readonly dispatcher: Dispatcher
  /** Of a whole body, or of one event of an event stream. */
  readonly maxBytes: number
  /** The call that is being made, if any. */
  readonly scope: () => FetchScope | undefined
  /** For exchanges outside of a call that are not event streams. */
  readonly timeoutMs: number
}

/** A fetch for libraries that bring their own protocol: guarded connections, bounded bodies, no redirects. */
export type GuardedFetch = (url: string | URL, init?: globalThis.RequestInit) => Promise<globalThis.Response>

/** What a library parses in one piece; a list of many tools holds more than an answer of one. */
const BOUNDS = TOOL_ANSWER_BOUNDS

/** Values were counted as bytes came. */
const COUNTED = { ...BOUNDS, maxValues: Number.POSITIVE_INFINITY }

/** How much of an event stream a library gets at a time: it reads all events of it at once, and they may be short. */
const EVENTS_BYTES = 2_048

/** Of a reply, in characters. */
const LONG_REPLY = 65_536

/** Creates the fetch. It does not close the dispatcher. */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  return async (url, init = {}) => {
    const scope = options.scope()
    const headers = new Headers(init.headers)
    for (const [name, value] of Object.entries(scope?.headers ?? {})) headers.set(name, value)
    // Over TLS, fetch would promise more by itself.
    headers.set('accept-encoding', ACCEPTED_ENCODINGS)
    const response = await fetch(url, {
      // The library's types and undici's describe the same things under different names.
      ...(init as unknown as RequestInit),
      headers: Object.fromEntries(headers),
      dispatcher: options.dispatcher,
      redirect: 'manual',
      signal: AbortSignal.any(signalsOf(init, scope, options)),
    })
    return bounded(response, options.maxBytes, scope) as unknown as globalThis.Response
  }
}

function signalsOf(
  init: globalThis.RequestInit,
  scope: FetchScope | undefined,
  { timeoutMs }: GuardedFetchOptions,
): AbortSignal[] {
  const given = init.signal == null ? [] : [init.signal]
  if (scope !== undefined) return [...given, scope.signal]
  const isNotification = typeof init.body === 'string' && init.body.includes('"method":"notifications/')
  return isNotification ? [...given, AbortSignal.timeout(timeoutMs)] : given
}

/** A response with a body that breaks off when it grows too large. */
function bounded(response: Response, maxBytes: number, scope: FetchScope | undefined): Response {
  const { body, status, statusText, headers } = response
  if (body === null) return response
  const events = (headers.get('content-type') ?? '').startsWith('text/event-stream')
  const bounds = new JsonByteBounds({ maxBytes, ...BOUNDS }, events)
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      const broken = bounds.push(chunk)
      if (broken === undefined) return pass(chunk, controller, events ? EVENTS_BYTES : chunk.length)
      const error = tooMuch(broken, hostOf(response), maxBytes)
      scope?.fail(error)
      controller.error(error)
    },
  })
  const checked = new Response(body.pipeThrough(limit), { status, statusText, headers })
  // A library would parse the whole in one piece.
  return events ? checked : Object.assign(checked, { json: () => readReply(checked) })
}

/** The JSON of a reply, read in pieces, with the digits of large integers. @throws SyntaxError */
async function readReply(response: Response): Promise<JsonValue> {
  const text = await response.text()
  // To put it together took a while.
  if (text.length > LONG_REPLY) await pause()
  return readForeignJson(text, COUNTED)
}

/** Passes bytes on in pieces, between which others have their turn. */
async function pass(
  bytes: Uint8Array,
  controller: TransformStreamDefaultController<Uint8Array>,
  pieceBytes: number,
): Promise<void> {
  if (bytes.length <= pieceBytes) return controller.enqueue(bytes)
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    controller.enqueue(bytes.subarray(from, from + pieceBytes))
    await pause()
  }
}

function tooMuch(broken: keyof ByteBounds, host: string, maxBytes: number): WireError {
  if (broken === 'maxBytes')
    return new WireError('too_large', `the reply of ${host} is larger than ${maxBytes} bytes`)
  const problem =
    broken === 'maxValues'
      ? `has more than ${BOUNDS.maxValues} values`
      : `is nested deeper than ${BOUNDS.maxDepth} levels`
  return new WireError('bad_response', `the reply of ${host} ${problem}`)
}

function hostOf(response: Response): string {
  return URL.canParse(response.url) ? new URL(response.url).host : 'the server'
}
