import type { LeftLoop } from '../agents/run-kept-agent.js'
import type { ResponseFrame } from '../llm/responses/to-response.js'
import type { LeasedRun } from '../state/leased-run.js'
import type { CancelSignal } from '../util/cancellation.js'
import type { JsonObject } from '../util/json/json.js'
import type { ConversationLock } from './conversation-lock.js'
import type { BegunResponse } from './read-log.js'
import type { StoredRequest } from './stored-request.js'

/** What an earlier process has left of a response. */
export interface LeftResponse extends BegunResponse {
  /** Nobody tries again: too many processes died with it, or the configuration says so. */
  readonly isHopeless: boolean
  /** Its loop between two steps; undefined before the first is durable, and for a plain model. */
  readonly left: LeftLoop | undefined
}

/** One response that is being answered. */
export interface ResponseRun {
  readonly frame: ResponseFrame
  readonly stored: StoredRequest
  /** What was said before. */
  readonly context: readonly JsonObject[]
  readonly run: LeasedRun
  /** The conversation that it adds to. */
  readonly lock: ConversationLock | undefined
  /** What an earlier process has stored of it. */
  readonly begun: LeftResponse | undefined
  readonly call: { readonly requestId: string; readonly traceparent?: string | undefined }
  /** Of the client that waits, or of the process that ends. */
  readonly stop: CancelSignal
}
