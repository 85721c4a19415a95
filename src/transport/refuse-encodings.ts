import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { commaList } from '../util/text/comma-list.js'
import { WireError } from './wire-error.js'

/** What `accept-encoding` may promise. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate'

const READ = new Set(['identity', 'gzip', 'x-gzip', 'deflate'])

/**
 * Ends an exchange whose answer came in an encoding that was not asked for, before anything behind it can unpack a
 * byte. Brotli is the reason: the decoder of unpatched Node releases runs foreign code (CVE-2026-111497), and `fetch`
 * decodes it unasked. The exchange fails with a WireError `bad_response`.
 */
export const refuseEncodings: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, new EncodingGuard(handler, String(options.origin ?? '')))

/** A handler in front of another, which hears everything of an answer that is read. */
class EncodingGuard implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler
  readonly #origin: string

  constructor(handler: Dispatcher.DispatchHandler, origin: string) {
    this.#handler = handler
    this.#origin = origin
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
    const refusal = refusalOf(headers['content-encoding'], this.#origin)
    if (refusal === undefined) this.#handler.onResponseStart?.(controller, status, headers, statusMessage)
    else controller.abort(refusal)
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

/** Why an answer with this `content-encoding` is not read; a header that came twice counts as one list. */
export function refusalOf(
  encoding: string | readonly string[] | undefined,
  origin = '',
): WireError | undefined {
  if (encoding === undefined) return undefined
  const refused = commaList(String(encoding).toLowerCase()).find((name) => !READ.has(name))
  return refused === undefined ? undefined : toRefusal(refused, origin)
}

function toRefusal(encoding: string, origin: string): WireError {
  const host = URL.canParse(origin) ? new URL(origin).host : 'the server'
  const asked = `only ${ACCEPTED_ENCODINGS} may be sent`
  return new WireError(
    'bad_response',
    `${host} sent content-encoding ${encoding.slice(0, 40)}, which is refused: ${asked}`,
  )
}
