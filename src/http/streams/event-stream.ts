import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceError } from '../../errors.js'
import { stringifyJson } from '../../util/json/json.js'
import { jsonObject } from '../../util/json/json-fields.js'
import { TextSlicer } from '../../util/slices/text-slicer.js'
import { toErrorBody, toServiceError } from '../answers/error-body.js'
import { writeHead } from '../answers/write-answer.js'
import { MAX_UNREAD_BYTES } from '../limits.js'
import { callOf } from '../requests/request-context.js'

export interface EventStreamOptions {
  /** A comment goes out after this long, so that proxies keep the connection. */
  readonly pingMs: number
  /** True for a stream without an end of its own: it ends as soon as the server begins to close. */
  readonly endless: boolean
  /** Aborted when nobody reads any more. */
  readonly gone?: AbortController
  /** What is sent to a reader whose stream ends before what it is about. Default: an `error` event. */
  readonly lastWords?: LastWords
  /** Further headers, names and values in turn. */
  readonly headers?: readonly string[] | undefined
}

/** The text that ends a stream with an error. */
export type LastWords = (failure: ServiceError) => string

/** Pings of a stream that nobody sets otherwise. */
export const PING_MS = 15_000

/** What a stream of events is sent with. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

/** One server-sent event: a name, a line of JSON, and an id unless clients must not resume after it. */
export function formatEvent(name: string, json: string, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${json}\n\n`
}

/**
 * The event of this name that ends a stream early. It has no id, so that no client resumes after it, and the same body as a
 * failed request.
 */
export function errorEvent(request: FastifyRequest, failure: ServiceError): string {
  return formatEvent(
    'error',
    stringifyJson({ type: 'error', ...jsonObject(toErrorBody(failure, request.id)) }),
  )
}

/**
 * A client that reads events: open from now on, until one of the two sides leaves. The producer says how it ends: `end`
 * after the last event, `fail` before.
 */
export class EventStream {
  readonly #response: FastifyReply['raw']
  readonly #gone: AbortController
  readonly #request: FastifyRequest
  readonly #lastWords: LastWords
  readonly #end: () => void
  readonly #slicer = new TextSlicer()

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    { pingMs, endless, gone = new AbortController(), lastWords, headers = [] }: EventStreamOptions,
  ) {
    this.#gone = gone
    this.#request = request
    this.#lastWords = lastWords ?? ((failure) => errorEvent(request, failure))
    const response = writeHead(request, reply, [...Object.entries(EVENT_STREAM_HEADERS).flat(), ...headers])
    this.#response = response
    response.flushHeaders()
    const ping = setInterval(() => response.write(': ping\n\n'), pingMs)
    // The connection would stay open for a next request that a closing server does not take.
    const { socket } = request.raw
    const leave = () => {
      // A program that asks its own server without a socket has none to close.
      if (request.server.draining && 'destroySoon' in socket) socket.destroySoon()
    }
    this.#end = () => void response.once('finish', leave).end()
    const open = endless ? request.server.openStreams.add((reason) => this.#leave(reason)) : undefined
    if (!endless) {
      const { signal } = callOf(request)
      signal.addEventListener('abort', () => this.fail(toServiceError(signal.reason)), { once: true })
    }
    response.on('close', () => {
      clearInterval(ping)
      open?.remove()
      this.#gone.abort()
    })
  }

  /** Aborts when nobody reads any more. */
  get signal(): AbortSignal {
    return this.#gone.signal
  }

  /** Sends at once, and sends a reader away that is far behind. */
  write(text: string): void {
    this.#response.write(text)
    if (this.#response.writableLength > MAX_UNREAD_BYTES) this.#response.destroy()
  }

  /** Sends, and says what to wait for before more is sent: the reader, or others' turn; undefined for nothing. */
  send(text: string): Promise<void> | undefined {
    if (this.#response.destroyed || this.#response.write(text)) return this.#slicer.turn(text.length)
    return new Promise((resolve) => {
      const settle = () => {
        this.#response.off('drain', settle)
        this.#response.off('close', settle)
        resolve()
      }
      this.#response.on('drain', settle).on('close', settle)
    })
  }

  /** Everything was sent. */
  end(): void {
    this.#end()
    this.#gone.abort()
  }

  /** Sends the reason why the rest of the stream is missing. */
  fail(failure: ServiceError): void {
    if (this.#gone.signal.aborted) return
    if (!this.#request.clientGone) this.#request.failure = failure
    this.#leave(failure)
  }

  #leave(reason: ServiceError): void {
    if (this.#gone.signal.aborted) return
    this.#response.write(this.#lastWords(reason))
    this.end()
  }
}
