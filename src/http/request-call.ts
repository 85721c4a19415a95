import type { FastifyRequest } from 'fastify'
import type { CallContext } from '../util/call-context.js'
import { Cancellation } from '../util/cancellation.js'
import { traceparentOf } from './traceparent.js'

/**
 * For whom a request's work is done. The signal and the trace context are made for whoever asks for them: a render
 * that calls no tool does not, and needs none.
 */
export class RequestCall implements CallContext {
  readonly requestId: string
  readonly #request: FastifyRequest

  constructor(request: FastifyRequest) {
    this.requestId = request.id
    this.#request = request
  }

  get traceparent(): string | undefined {
    return this.#request.span?.traceparent ?? traceparentOf(this.#request)
  }

  get isTraced(): boolean | undefined {
    return this.#request.span?.isRecorded
  }

  /** Aborts when the client goes away before the answer is out, also if it has gone already. */
  get signal(): Cancellation {
    const { cancellation, clientGone } = this.#request
    if (cancellation !== undefined) return cancellation
    const made = new Cancellation()
    if (clientGone) made.abort()
    this.#request.cancellation = made
    return made
  }
}
