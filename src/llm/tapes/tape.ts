import type { UpstreamPhase } from '../../transport/upstream-error.js'
import type { JsonObject, JsonValue } from '../../util/json/json.js'
import type { Endpoint } from '../model.js'

/** What a model answered to one request, kept in a file: one of the three, or of a stream that broke `events` and `error`. */
export interface Tape {
  readonly endpoint: Endpoint
  /** Without what `ignore` names. */
  readonly request: JsonObject
  /** A whole answer as the upstream gave it. */
  readonly answer?: JsonObject
  /** A stream: the data of each event, with the milliseconds from the request where times are kept. */
  readonly events?: readonly TapedEvent[]
  /** A refusal, with the upstream's own error object, or a connection that failed. */
  readonly error?: TapedError
}

/** One event of a taped stream. */
export interface TapedEvent {
  readonly data: string
  readonly atMs?: number
}

/** Why there is no answer, or no more of it. */
export interface TapedError {
  readonly phase: UpstreamPhase
  /** Of an answer that is not 200. */
  readonly status?: number
  readonly message: string
  readonly detail?: JsonValue
}

/** Whether the next attempt may succeed: what records asks again in place of replaying it. */
export function isTransient({ error }: Pick<Tape, 'error'>): boolean {
  if (error === undefined) return false
  const { status = 503 } = error
  return status === 408 || status === 409 || status === 429 || status >= 500
}
