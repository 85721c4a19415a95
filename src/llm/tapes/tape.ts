import type { JsonObject, JsonValue } from '../../util/json.js'
import type { Endpoint } from '../model.js'

/** What a model answered to one request, kept in a file. Exactly one of the three answers is there. */
export interface Tape {
  readonly endpoint: Endpoint
  /** Without what `ignore` names. */
  readonly request: JsonObject
  /** A whole answer as the upstream gave it. */
  readonly answer?: JsonObject
  /** A stream: the data of each event, with the milliseconds from the request where times are kept. */
  readonly events?: readonly TapedEvent[]
  /** A refusal, with the upstream's own error object. */
  readonly error?: TapedError
}

/** One event of a taped stream. */
export interface TapedEvent {
  readonly data: string
  readonly atMs?: number
}

/** A status that is not 200. */
export interface TapedError {
  readonly status: number
  readonly message: string
  readonly detail?: JsonValue
}
