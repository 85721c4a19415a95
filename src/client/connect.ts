import { type Again, IF_IT_PASSES, IF_REFUSED, pauseBefore } from './attempts.js'
import { ClientError, isClientError } from './client-error.js'
import { readServerEvents, type ServerEvent } from './server-events.js'

/** Where the service is, and how long to wait for it. */
export interface ConnectionOptions {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** A key of the service, if it wants one. */
  readonly key?: string
  /** How long one request may take, with all its attempts, in milliseconds. Default 5,000; chats and turns have 60,000. */
  readonly timeoutMs?: number
  /** Default: the global one. */
  readonly fetch?: typeof fetch
}

/** Options of every request. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** In place of the client's. */
  readonly timeoutMs?: number
}

/** One request. */
export interface Call extends RequestOptions {
  /** Default: `GET`, with a body `POST`. */
  readonly method?: Method | undefined
  readonly version?: number
  readonly label?: string
  readonly kind?: string
  /** Default: the version, the label and the kind. */
  readonly query?: object | undefined
  readonly body?: object
  /** The same key is the same session, turn or task, however often it is sent. */
  readonly idempotencyKey?: string
  /** Continues a stream behind this event. */
  readonly after?: string | undefined
  /** Default: `IF_IT_PASSES` for what has no body or a key, else `IF_REFUSED`. */
  readonly again?: Again | undefined
}

export type Method = 'GET' | 'POST' | 'DELETE'

/**
 * Sends a request to a path below `/api`, again where that is safe, and gives what `read` makes of the answer within the
 * time of the request. Default: its JSON. @throws ClientError
 */
export type Send = <Answer>(
  path: string,
  call: Call,
  read?: (response: Response) => Answer | Promise<Answer>,
) => Promise<Answer>

/** One event of a stream, its data as JSON. */
export interface ParsedEvent<Data> extends Omit<ServerEvent, 'data'> {
  readonly data: Data
}

/** A stream that can be opened again behind the last event that was read. */
export interface FollowedStream {
  readonly after?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Makes the way to a service. */
export function connect({ url, key, timeoutMs: usual = 5_000, fetch: ask = fetch }: ConnectionOptions): Send {
  if (!/^https?:\/\//.test(url))
    throw new TypeError(`url must start with http:// or https://: write http://${url}`)
  while (url.endsWith('/')) url = url.slice(0, -1)

  return async (path, call, read = jsonOf) => {
    const { body, after, idempotencyKey, signal, version, label, kind, timeoutMs = usual } = call
    const { method = body ? 'POST' : 'GET', query = { version, label, kind } } = call
    const { again = body && !idempotencyKey ? IF_REFUSED : IF_IT_PASSES } = call
    const headers = {
      'x-api-shape': '1',
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body && { 'content-type': 'application/json' }),
      ...(after && { 'last-event-id': after }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    }
    // What JSON drops is not asked.
    const fields = new URLSearchParams(JSON.parse(JSON.stringify(query)))
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), timeoutMs)
    const either = AbortSignal.any([limit.signal, signal ?? limit.signal])
    let last: ClientError | undefined
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          const response = await ask(`${url}/api/${path}?${fields}`, {
            method,
            headers,
            body: JSON.stringify(body),
            signal: either,
          })
          if (!response.ok) throw await ClientError.of(response)
          return await read(response)
        } catch (cause) {
          if (signal?.aborted) throw cause
          const failure = isClientError(cause)
            ? cause
            : new ClientError('unreachable', `${url} does not answer`, {}, { cause })
          if (limit.signal.aborted) throw last ?? failure
          last = failure
          await pauseBefore(attempt, failure, either, again, timeoutMs)
        }
      }
    } finally {
      clearTimeout(timer)
    }
  }
}

/** A path whose every `*` is the next of these names, which are taken from the list. */
export function pathOf(path: string, names: unknown[]): string {
  return path.replaceAll('*', () => encodeURIComponent(`${names.shift()}`))
}

/** The events of an answer; only its beginning is bounded in time. Throws where it ends early. @throws ClientError */
export async function* openEvents<Data>(
  send: Send,
  path: string,
  call: Call,
): AsyncGenerator<ParsedEvent<Data>, void> {
  let cause: unknown
  try {
    const body = await send(path, call, (response) => response.body)
    if (body)
      for await (const event of readServerEvents(body)) {
        call.signal?.throwIfAborted()
        if (event.data === '[DONE]') return
        const data = JSON.parse(event.data)
        if (event.event === 'error') throw ClientError.ofBody(data)
        yield { ...event, data }
      }
  } catch (error) {
    if (isClientError(error) || call.signal?.aborted) throw error
    cause = error
  }
  throw new ClientError('connection_lost', 'The connection ended too soon', {}, { cause })
}

/**
 * Events to the last one. A stream that breaks is opened again behind the last event that was read, up to `patience` times
 * in a row; `open` gets what broke it, too.
 *
 * @throws ClientError for an error that ends the stream, and when it stays broken
 */
export async function* followStream<Data>(
  { after, signal }: FollowedStream,
  open: (after: string | undefined, failure: ClientError | undefined) => AsyncGenerator<ParsedEvent<Data>>,
  isLast: (event: ParsedEvent<Data>) => boolean,
  patience = 5,
): AsyncGenerator<ParsedEvent<Data>, void> {
  let failure: ClientError | undefined
  for (let cuts = 0; ; cuts++) {
    try {
      for await (const event of open(after, failure)) {
        cuts = 0
        after = event.id || after
        yield event
        if (isLast(event)) return
      }
    } catch (error) {
      if (!isClientError(error) || cuts >= patience) throw error
      failure = error
      await pauseBefore(cuts, error, signal)
    }
  }
}

/** What the events of a stream are about. */
export async function* dataOf<Data>(events: AsyncIterable<ParsedEvent<Data>>): AsyncGenerator<Data, void> {
  for await (const { data } of events) yield data
}

/** What an answer without a body is, nobody reads. */
export async function jsonOf<Answer>(response: Response): Promise<Answer> {
  return JSON.parse((await response.text()) || 'null')
}
