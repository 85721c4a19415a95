import { ApiError } from './api-error.js'
import { type EarlyAnswers, requestHeaders, takeEarly } from './early.js'
import { readServerEvents, type ServerEvent } from './server-events.js'
import type { ErrorBody } from './shapes.js'

/** How the page reaches the service. */
export interface HttpOptions {
  /** The API key, or nothing. */
  readonly key: () => string
  /** Called when the service asks for a key. */
  readonly onDenied: () => void
  /** What was asked for already. */
  readonly early?: EarlyAnswers
}

/** One request. */
export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  readonly lastEventId?: string | undefined
  /** The revision that is to be replaced. */
  readonly ifMatch?: string
  /** Whether a stream says in the end what it cost. */
  readonly timed?: boolean
}

/** The wire under the client: keys, errors, streams. */
export interface Http {
  /** The answer's JSON. @throws ApiError */
  json<Answer>(path: string, call?: Call): Promise<Answer>
  /** Server-sent events as they come. @throws ApiError */
  events(path: string, call?: Call): AsyncGenerator<ServerEvent>
}

/** Asks the service that the page came from. Addresses are relative: it may live below a path of a proxy. */
export function createHttp(options: HttpOptions): Http {
  const send = async (path: string, call: Call): Promise<Response> => {
    const key = options.key()
    const response = await (earlyAnswer(options.early, path, call, key) ?? reach(path, call, key))
    if (response.ok) return response
    // What was asked with an earlier key says nothing about this one.
    if (response.status === 401 && key === options.key()) options.onDenied()
    throw new ApiError(response.status, await errorOf(response))
  }
  return {
    async json(path, call = {}) {
      return (await send(path, call)).json()
    },
    async *events(path, call = {}) {
      const { body } = await send(path, call)
      if (body === null) return
      for await (const event of readServerEvents(body)) {
        if (event.event === 'error') throw new ApiError(0, endOf(event.data))
        yield event
      }
    },
  }
}

function earlyAnswer(
  early: EarlyAnswers | undefined,
  path: string,
  { method, body, lastEventId }: Call,
  key: string,
): Promise<Response> | undefined {
  const isOther = method !== undefined || body !== undefined || lastEventId !== undefined
  if (early === undefined || isOther) return undefined
  return takeEarly(early, path, key)?.catch(unreachable)
}

function unreachable(error: unknown): never {
  throw new ApiError(0, { code: 'unreachable', message: error instanceof Error ? error.message : '' })
}

async function reach(path: string, { method, body, signal, lastEventId, ifMatch, timed }: Call, key: string) {
  const headers = requestHeaders(key)
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (lastEventId !== undefined) headers.set('last-event-id', lastEventId)
  if (ifMatch !== undefined) headers.set('if-match', `"${ifMatch}"`)
  if (timed === true) headers.set('x-stream-timing', '1')
  try {
    return await fetch(path, {
      headers,
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    })
  } catch (error) {
    if (signal?.aborted === true) throw error
    return unreachable(error)
  }
}

/** The last event of a stream that cannot continue. */
function endOf(data: string): ErrorBody['error'] {
  const body: ErrorBody = JSON.parse(data)
  return body.error
}

async function errorOf(response: Response): Promise<ErrorBody['error']> {
  const fallback = { code: `http_${response.status}`, message: response.statusText }
  const body: ErrorBody | undefined = await response.json().catch(() => undefined)
  return body?.error ?? fallback
}
