/** Why a call over a wire failed, in words that fit every protocol. */
export type WireFailure =
  /** No connection: refused, no route, unknown name, TLS failure. Nothing was sent. */
  | 'unreachable'
  /** The name led to an address that must not be connected to. Nothing was sent. */
  | 'address_refused'
  /** The connection broke after the request was sent; the other side may have acted on it. */
  | 'connection_lost'
  | 'timeout'
  | 'cancelled'
  | 'redirect_refused'
  | 'too_large'
  /** The answer is not what the protocol or its own headers promise. */
  | 'bad_response'
  /** The other side refused the request itself: 4xx, INVALID_ARGUMENT, `isError`. */
  | 'rejected'
  /** The other side failed: 5xx, INTERNAL. */
  | 'upstream_error'
  /** The request does not fit what the other side declares. Nothing was sent. */
  | 'invalid_arguments'
  /** The request cannot be formed: the document or the configuration is wrong. */
  | 'invalid_tool'

/** A failed exchange. The message is for people and names the other side, never a credential. */
export class WireError extends Error {
  override readonly name = 'WireError'
  readonly failure: WireFailure

  constructor(failure: WireFailure, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.failure = failure
  }
}

/** A reply beyond what may be read. */
export function tooLarge(url: URL, maxBytes: number): WireError {
  return new WireError('too_large', `the reply of ${url.host} is larger than ${maxBytes} bytes`)
}

/** The code of a Node, undici or SDK error, or the empty text. */
export function errorCodeText(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return ''
  return String(error.code)
}
