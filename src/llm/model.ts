import type { Message } from '../conversation/message.js'
import type { ServiceError } from '../errors.js'
import type { Batches } from '../transport/batch-queue.js'
import type { CallContext } from '../util/call-context.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import type { SentBody } from './sent-body.js'

/** An OpenAI chat completions request: `model`, `messages` and whatever else the caller sent, unchanged. */
export interface ChatRequest extends JsonObject {
  readonly model: string
  readonly messages: readonly Message[]
}

/** A request of either interface; what it holds besides the model is for the upstream to read. */
export interface ModelRequest extends JsonObject {
  readonly model: string
}

/** Which of OpenAI's interfaces a request is written for; `completions` takes one prompt in place of messages. */
export type Endpoint = 'chat/completions' | 'responses' | 'completions' | 'embeddings'

/** For whom a model is called, and how. When the signal aborts, the upstream request is destroyed. */
export interface CallOptions extends CallContext {
  /** Default `chat/completions`; `responses` only where `supportsResponses` says so. */
  readonly endpoint?: Endpoint | undefined
  /** The body that the request was made of, if it was one of a client. */
  readonly sentBody?: SentBody | undefined
  /** False once the client has got a byte: then a failure is final. Asked before each retry and fallback. */
  readonly mayRetry?: (() => boolean) | undefined
  /** The family whose calls are read where the upstream left them in its answer, or `auto`; of the route. */
  readonly rescue?: string | undefined
  /** Called before each retry and each fallback, to show them. */
  readonly onRetry?: ((retry: RetryInfo) => void) | undefined
}

/** A failed attempt after which another follows. */
export interface RetryInfo {
  readonly upstream: string
  readonly model: string
  /** At this upstream, from 1. */
  readonly attempt: number
  /** Until the next one, in milliseconds; 0 before a fallback. */
  readonly waitMs: number
  /** Its message may hold what an upstream said: for people who run the service. */
  readonly error: Error
}

/** What was read and written, in the model's tokens. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** The part of the input that came from the provider's cache. */
  readonly cachedTokens: number
  /** The part of the output that the model thought and did not say. */
  readonly reasoningTokens: number
}

/** How a call went, for headers, metrics and the log. */
export interface CallReport {
  readonly upstream: string
  /** The model that answered, by the name its upstream knows. */
  readonly model: string
  /** Over all models that were tried. */
  readonly attempts: number
  /** Spent waiting for the upstream's answer, or for its first event, in the attempt that succeeded; 0 if none did. */
  readonly upstreamMs: number
  /** The family whose calls were read where the upstream had not. */
  readonly rescued?: string | undefined
}

export interface Completion {
  /** The upstream's JSON as it came. */
  readonly bytes: Buffer
  /** The bytes as text, of a short answer in ASCII, which was read as text anyway. Rows `0.5 KB` of `npm run bench:chat`. */
  readonly ascii?: string | undefined
  /** The upstream's JSON, parsed; integers keep their digits. */
  readonly body: JsonObject
  readonly usage: Usage | undefined
  readonly report: CallReport
  /** In the price table's currency; undefined when it is not known. */
  readonly cost?: number | undefined
}

/** A streamed answer: relayed as bytes, which costs nothing else, or understood with `readStream(events)`. Once. */
export interface CompletionStream {
  /**
   * Whole server-sent events as they came, several together when the reader was slower; without the closing `[DONE]`.
   * Throws ServiceError when the stream breaks. Leaving the loop early destroys the upstream request.
   */
  readonly events: Batches
  /** Known after the end, if the upstream reported it. */
  usage(): Usage | undefined
  /** As the usage, where it has a price. */
  cost?(): number | undefined
  /**
   * Resolves when nothing more comes: with the failure, if there was one; `client_closed_request` when the reader left
   * early. Never rejects.
   */
  readonly ended: Promise<ServiceError | undefined>
  readonly report: CallReport
}

/** One entry of `/v1/models`. */
export interface ModelListing {
  readonly id: string
  readonly owned_by: string
  readonly [field: string]: JsonValue
}

/**
 * What answers as a language model does behind a chat completions interface: an upstream, a router over several, the
 * offline echo, an agent; and what is put around one, layer by layer: resilient, routed, metered, traced, structured.
 *
 * @throws ServiceError `llm_unavailable`, `llm_bad_response`, `llm_rejected`, `overloaded`, `client_closed_request`
 */
export interface AnsweringModel {
  /** Asked where a program names no model; null: it has to name one. Undefined: the name does not matter. */
  readonly defaultModel?: string | null
  complete(request: ModelRequest, options: CallOptions): Promise<Completion>
  /** Resolves when the first event is there, so that a failure before it can still be an HTTP status. */
  stream(request: ModelRequest, options: CallOptions): Promise<CompletionStream>
}

/** A model that lists what it serves, and is closed by the code that opened it. */
export interface Model extends AnsweringModel {
  /** Whether requests for this model may be sent with `endpoint: 'responses'`. */
  supportsResponses(model: string): boolean
  /** For `/v1/models`: ids this model answers to, as far as they are configured. */
  list(): readonly ModelListing[]
  /** What the lists of upstreams add, for routes with a pattern. Default: nothing. Never rejects. */
  listMore?(): Promise<readonly ModelListing[]>
  close(): Promise<void>
}
