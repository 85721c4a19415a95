import type { JsonObject, JsonValue } from '../util/json.js'

/** An OpenAI chat message on the wire; unknown fields pass through. */
export interface ChatMessage extends JsonObject {
  readonly role: string
}

/** An OpenAI chat completions request: `model`, `messages` and whatever else the caller sent, unchanged. */
export interface ChatRequest extends JsonObject {
  readonly model: string
  readonly messages: readonly ChatMessage[]
}

export interface CallOptions {
  /** Aborts when the client goes away: the upstream request is destroyed. */
  readonly signal: AbortSignal
  readonly requestId: string
  readonly traceparent?: string
}

/** How a call went, for headers, metrics and the log. */
export interface CallReport {
  readonly upstream: string
  readonly model: string
  readonly attempts: number
  readonly upstreamMs: number
}

export interface Completion {
  /** The upstream's JSON, nothing dropped. */
  readonly body: JsonObject
  readonly report: CallReport
}

export interface CompletionStream {
  /** The `data:` payloads as they came, without the closing `[DONE]`. Throws ServiceError when the stream breaks. */
  readonly events: AsyncIterable<string>
  readonly report: CallReport
}

/**
 * A language model behind a chat completions interface: an upstream, a router over several, or the offline echo.
 *
 * @throws ServiceError `llm_unavailable`, `llm_bad_response`, `llm_rejected`, `overloaded`
 */
export interface Model {
  complete(request: ChatRequest, options: CallOptions): Promise<Completion>
  /** Resolves when the first event is there, so that a failure before it can still be an HTTP status. */
  stream(request: ChatRequest, options: CallOptions): Promise<CompletionStream>
  /** For `/v1/models`: ids this model answers to. */
  list(): readonly { readonly id: string; readonly owned_by: string; readonly [field: string]: JsonValue }[]
  close(): Promise<void>
}
