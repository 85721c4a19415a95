import type { TraceIds } from './trace-ids.js'

/** What a span says of itself in any case. Never contents: names, counts, codes. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

/** Who waits for whom: `server` answers a request, `client` asks another service, `internal` is work of our own. */
export type SpanKind = 'server' | 'client' | 'internal'

/** One piece of work in a trace. It is over at its first end. */
export interface Span {
  /** Whether anybody reads what it says. */
  readonly isRecorded: boolean
  readonly ids: TraceIds
  /** The span as the parent of others, here and in other services: W3C trace context, version 00. Made when it is asked for. */
  readonly traceparent: string
  /** Undefined values are left out. */
  set(attributes: SpanAttributes): void
  /** Notes what was said, as an attribute, where contents are collected and the span is; else does nothing. */
  say(attribute: string, content: unknown): void
  /** Something that happened at one moment of it. Undefined values are left out. */
  note(event: string, attributes: SpanAttributes): void
  /** @param error the code of the failure; absent for work that went well */
  end(error?: string): void
}

/**
 * Makes spans. Decided once at the start: without a collector of spans there is no tracer anywhere, and nothing is asked.
 * The trace travels in `CallContext.traceparent`.
 */
export interface Tracer {
  /** Whether spans hold contents. */
  readonly hasContents: boolean
  /** Whether `internal` work below this parent may be kept. The SDK is asked for what enters the service, and what leaves it. */
  keepsBelow(parent: string | undefined): boolean
  /** @param parent the trace context of the work that this is part of; absent for the beginning of a trace */
  start(name: string, kind: SpanKind, parent: string | undefined, attributes: SpanAttributes): Span
}
