import type { FastifyReply, FastifyRequest } from 'fastify'
import { TextSlicer } from '../util/text-slicer.js'
import { callOf } from './request-context.js'
import { writeHead } from './write-answer.js'

export interface EventStreamOptions {
  /** A comment goes out after this long, so that proxies keep the connection. */
  readonly pingMs: number
  /** True for a stream without an end of its own: it ends as soon as the server begins to close. */
  readonly endless: boolean
  /** Aborted when nobody reads any more. */
  readonly gone?: AbortController
}

/** Pings of a stream that nobody sets otherwise. */
export const PING_MS = 15_000
/** A reader that lets this much pile up is sent away; it comes back with the id of the last event it read. */
const MAX_UNREAD_BYTES = 1024 * 1024

/** What a stream of events is sent with. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

/** One server-sent event: a name, a line of JSON, and an id unless it is one that nobody may go on from. */
export function formatEvent(name: string, json: string, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${json}\n\n`
}

/** A client that reads events: open from now on, until one of the two goes away. */
export class EventStream {
  readonly #response: FastifyReply['raw']
  readonly #gone: AbortController
  readonly #end: () => void
  readonly #slicer = new TextSlicer()

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    { pingMs, endless, gone = new AbortController() }: EventStreamOptions,
  ) {
    this.#gone = gone
    const response = writeHead(request, reply, Object.entries(EVENT_STREAM_HEADERS).flat())
    this.#response = response
    response.flushHeaders()
    const ping = setInterval(() => response.write(': ping\n\n'), pingMs)
    // The connection would stay open for a next request that a closing server does not take.
    const { socket } = request.raw
    this.#end = () => void response.end(() => request.server.draining && socket.destroySoon())
    const open = endless ? request.server.openStreams.add(() => this.end()) : undefined
    if (!endless) callOf(request).signal.addEventListener('abort', () => this.end(), { once: true })
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

  end(): void {
    this.#end()
    this.#gone.abort()
  }
}
