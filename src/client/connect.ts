import { type Again, pauseFor, waitBefore } from './attempts.js'
import { ClientError } from './client-error.js'
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
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly query?: object | undefined
  readonly body?: object
  /** The same key is the same session, turn or task, however often it is sent. */
  readonly idempotencyKey?: string
  /** Continues a stream behind this event. */
  readonly after?: string | undefined
  /** Default: `passing` for what has no body or a key, else `refused`. */
  readonly again?: Again
}

/** Parts of a path below `/api`. */
export type Path = readonly (string | number)[]

/** A stream that can be opened again behind the last event that was read. */
export interface FollowedStream<Event> {
  readonly after?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** How often in a row it is opened without an event. Default 5. */
  readonly patience?: number
  /** Whether the stream ends with this event. */
  isLast(event: ServerEvent): boolean
  /** What is given of an event. Default: its data, as JSON. */
  read?(event: ServerEvent): Event
  /** Called with every failure after which the stream is opened again. */
  onCut?(failure: ClientError): void
  /** Opens it behind an event; undefined for its first. */
  open(after: string | undefined): AsyncGenerator<ServerEvent>
}

/** The way to one service: sends requests, again where that is safe, and reads its errors. */
export type Connection = ReturnType<typeof connect>

/** Makes the way to a service. */
export function connect({ url, key, timeoutMs: usual = 5_000, fetch: ask = fetch }: ConnectionOptions) {
  if (!/^https?:\/\//.test(url))
    throw new TypeError(`url must start with http:// or https://: write http://${url}`)
  let base = url
  while (base.endsWith('/')) base = base.slice(0, -1)
  const always = { 'x-api-shape': '1', ...(key && { authorization: `Bearer ${key}` }) }

  /** What `read` makes of the answer, within the time of the request. @throws ClientError */
  async function send<Answer>(
    path: Path,
    {
      body,
      after,
      idempotencyKey,
      signal,
      query,
      method = body ? 'POST' : 'GET',
      again = body && !idempotencyKey ? 'refused' : 'passing',
      timeoutMs = usual,
    }: Call,
    read: (response: Response) => Answer,
  ): Promise<Awaited<Answer>> {
    const headers = {
      ...always,
      ...(body && { 'content-type': 'application/json' }),
      ...(after && { 'last-event-id': after }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    }
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), timeoutMs)
    const either = AbortSignal.any([limit.signal, ...(signal ? [signal] : [])])
    let last: ClientError | undefined
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          const content = body ? JSON.stringify(body) : null
          const response = await ask(base + pathOf(path, query), {
            method,
            headers,
            body: content,
            signal: either,
          })
          if (!response.ok) throw await ClientError.of(response)
          return await read(response)
        } catch (cause) {
          if (signal?.aborted) throw cause
          const failure =
            cause instanceof ClientError
              ? cause
              : new ClientError('unreachable', `${base} does not answer`, {}, { cause })
          if (limit.signal.aborted) throw last ?? failure
          const wait = waitBefore(failure, attempt, again) ?? timeoutMs
          if (wait >= timeoutMs) throw failure
          last = failure
          await pauseFor(wait, either)
        }
      }
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    send,
    /** The JSON of an answer. @throws ClientError */
    json: <Answer>(path: Path, call: Call = {}): Promise<Answer> => send(path, call, jsonOf<Answer>),
    /** The events of an answer; only its beginning is bounded in time. @throws ClientError */
    async *events(path: Path, call: Call): AsyncGenerator<ServerEvent> {
      const body = await send(path, call, ({ body }) => body)
      try {
        if (body)
          for await (const event of readServerEvents(body)) {
            call.signal?.throwIfAborted()
            if (event.event === 'error') throw ClientError.ofBody(JSON.parse(event.data))
            yield event
          }
      } catch (cause) {
        if (cause instanceof ClientError || call.signal?.aborted) throw cause
        throw connectionLost(cause)
      }
    },
    follow,
  }
}

/**
 * Events to the last one, as JSON. A stream that breaks is opened again behind the last event that was read.
 *
 * @throws ClientError for an error that ends the stream, and when it stays broken
 */
async function* follow<Event>(stream: FollowedStream<Event>): AsyncGenerator<Event, void> {
  let { after, patience = 5 } = stream
  for (let cuts = 0; ; cuts++) {
    try {
      for await (const event of stream.open(after)) {
        cuts = 0
        after = event.id || after
        yield stream.read ? stream.read(event) : JSON.parse(event.data)
        if (stream.isLast(event)) return
      }
      throw connectionLost()
    } catch (failure) {
      if (!(failure instanceof ClientError)) throw failure
      const wait = waitBefore(failure, cuts, 'passing')
      if (wait === undefined || cuts >= patience) throw failure
      stream.onCut?.(failure)
      await pauseFor(wait, stream.signal)
    }
  }
}

function pathOf(path: Path, query: object = {}): string {
  const fields = Object.entries(query).filter(([, value]) => value !== undefined)
  return `/api/${path.map(encodeURIComponent).join('/')}?${new URLSearchParams(fields)}`
}

/** What an answer without a body is, nobody reads. */
async function jsonOf<Answer>(response: Response): Promise<Answer> {
  return JSON.parse((await response.text()) || 'null')
}

/** The error of a stream that ended too soon. */
export function connectionLost(cause?: unknown): ClientError {
  return new ClientError('connection_lost', 'The connection ended too soon', {}, { cause })
}
