import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { commaList } from '../util/text/comma-list.js'
import { ForwardingHandler } from './forwarding-handler.js'
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

class EncodingGuard extends ForwardingHandler {
  readonly #origin: string

  constructor(handler: Dispatcher.DispatchHandler, origin: string) {
    super(handler)
    this.#origin = origin
  }

  override onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusMessage?: string,
  ): void {
    const refusal = refusalOf(headers, this.#origin)
    if (refusal === undefined) super.onResponseStart(controller, status, headers, statusMessage)
    else controller.abort(refusal)
  }
}

/** Why an answer with these headers is not read: its encoding; a header that came twice counts as one list. */
export function refusalOf(headers: IncomingHttpHeaders, origin = ''): WireError | undefined {
  const header = headers['content-encoding']
  if (header === undefined) return undefined
  const refused = commaList(String(header).toLowerCase()).find((name) => !READ.has(name))
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
