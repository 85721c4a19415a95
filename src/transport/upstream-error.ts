import type { JsonValue } from '../util/json/json.js'

/**
 * Where an exchange with an upstream broke: before a connection, before the first byte of the answer, between two of
 * its parts, at the total limit, on the wire, by its status, or by an answer that is not what was asked for.
 */
export type UpstreamPhase = 'connect' | 'first_byte' | 'idle' | 'total' | 'network' | 'status' | 'body'

export interface UpstreamErrorOptions {
  readonly cause?: unknown
  /** The answer's status, when there was one. */
  readonly status?: number
  /** How long the upstream asked to wait. */
  readonly retryAfterMs?: number | undefined
  /** The upstream's own error object, for a caller whose parameters were refused. */
  readonly detail?: JsonValue | undefined
}

/** One failed attempt at an upstream. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
  readonly phase: UpstreamPhase
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  /** Not enumerable: a provider may quote what was asked, and logs print what is. */
  readonly #detail: JsonValue | undefined

  constructor(phase: UpstreamPhase, message: string, options: UpstreamErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.phase = phase
    this.status = options.status
    this.retryAfterMs = options.retryAfterMs
    this.#detail = options.detail
  }

  get detail(): JsonValue | undefined {
    return this.#detail
  }
}
