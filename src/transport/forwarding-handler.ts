import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'

/**
 * A handler in front of another, which hears everything. A class with the handler's own methods: it is in the path
 * of every part of every answer.
 */
export class ForwardingHandler implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context)
  }

  onRequestUpgrade(
    ...parameters: Parameters<Required<Dispatcher.DispatchHandler>['onRequestUpgrade']>
  ): void {
    this.#handler.onRequestUpgrade?.(...parameters)
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusMessage?: string,
  ): void {
    this.#handler.onResponseStart?.(controller, status, headers, statusMessage)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk)
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    this.#handler.onResponseEnd?.(controller, trailers)
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#handler.onResponseError?.(controller, error)
  }
}
