import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { toError } from '../util/errors/error-message.js'
import { GatheredBytes } from '../util/gathered-bytes.js'
import { tooLarge } from './wire-error.js'

/** A reply as it travelled. */
export interface TravelledReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Of an error reply only the beginning. */
  readonly body: GatheredBytes
}

/** How much of a reply is read. */
export interface ReplyBounds {
  readonly url: URL
  readonly signal: AbortSignal
  /** Of the body of a successful reply. */
  readonly maxBytes: number
  /** Of the body of an error reply; what is beyond is not read. */
  readonly maxErrorBytes: number
}

/**
 * Sends a request and reads its reply, through undici's `dispatch`: no stream, and no promise for each part. The socket is
 * destroyed where the reply is not read to its end.
 *
 * @throws WireError `too_large`, the signal's reason, or undici's error
 */
export function readReply(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  bounds: ReplyBounds,
): Promise<TravelledReply> {
  return new Promise((resolve, reject) => {
    const reader = new ReplyReader(bounds, resolve, reject)
    try {
      reader.begin()
      dispatcher.dispatch(request, reader)
    } catch (error) {
      reader.fail(toError(error))
    }
  })
}

class ReplyReader implements Dispatcher.DispatchHandler {
  readonly #bounds: ReplyBounds
  readonly #resolve: (reply: TravelledReply) => void
  readonly #reject: (error: Error) => void
  readonly #onAbort = () => this.fail(toError(this.#bounds.signal.reason))
  readonly #body = new GatheredBytes()
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #isOver = false
  #controller: Dispatcher.DispatchController | undefined
  #failure: Error | undefined

  constructor(bounds: ReplyBounds, resolve: (reply: TravelledReply) => void, reject: (error: Error) => void) {
    this.#bounds = bounds
    this.#resolve = resolve
    this.#reject = reject
  }

  begin(): void {
    const { signal } = this.#bounds
    if (signal.aborted) this.#onAbort()
    else signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  fail(error: Error): void {
    if (!this.#end()) return
    this.#failure = error
    this.#controller?.abort(error)
    this.#reject(error)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It was given up while it waited for a connection.
    if (this.#failure !== undefined) controller.abort(this.#failure)
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // What is said before a reply, with a status of 1xx, is replaced by it.
    this.#status = status
    this.#headers = headers
    if (this.#isSuccess) this.#assertRoom(Number(headers['content-length'] ?? 0))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return
    this.#body.add(chunk)
    if (this.#isSuccess) this.#assertRoom(this.#body.length)
    else if (this.#body.length >= this.#bounds.maxErrorBytes) this.#finish()
  }

  onResponseEnd(): void {
    this.#controller = undefined
    this.#finish()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#controller = undefined
    this.fail(error)
  }

  get #isSuccess(): boolean {
    return this.#status < 300
  }

  #assertRoom(bytes: number): void {
    const { url, maxBytes } = this.#bounds
    if (bytes > maxBytes) this.fail(tooLarge(url, maxBytes))
  }

  /** Before the end of the reply the socket is destroyed. */
  #finish(): void {
    if (!this.#end()) return
    this.#resolve({ status: this.#status, headers: this.#headers, body: this.#body })
    this.#controller?.abort(new Error('the rest of the reply is not read'))
  }

  /** @returns whether it was not over before */
  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#bounds.signal.removeEventListener('abort', this.#onAbort)
    return true
  }
}
