import type * as OpenTelemetry from '@opentelemetry/api'
import type { Attributes, Context, SpanContext, SpanKind, TracerProvider } from '@opentelemetry/api'
import { isSampled } from './util/exemplar.js'
import { lazyPackage } from './util/lazy-package.js'
import type { WriteContents } from './util/span-contents.js'
import { ATTRIBUTE } from './util/span-names.js'
import { traceIdsOf } from './util/trace-ids.js'
import type { Span, SpanAttributes, Tracer, SpanKind as WorkKind } from './util/tracer.js'
import { VERSION } from './util/version.js'

const NAME = 'ai-prompt-shell'
const api = lazyPackage<typeof OpenTelemetry>('@opentelemetry/api')
/** Where every copy of the API, and so every SDK, keeps what is registered with it. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1')

/**
 * The tracer of the OpenTelemetry SDK that was loaded before the service (`node --import`); undefined without one. Asked
 * once: an SDK that comes later is not noticed, and without one the API is not even read.
 *
 * @param writeContents writes what was said; absent for spans without contents
 */
export function openTelemetry(
  provider: TracerProvider | undefined = registered(),
  writeContents?: WriteContents,
): Tracer | undefined {
  if (provider === undefined) return undefined
  const { isSpanContextValid, ROOT_CONTEXT, SpanKind, SpanStatusCode } = api()
  const kinds: Readonly<Record<WorkKind, SpanKind>> = {
    server: SpanKind.SERVER,
    client: SpanKind.CLIENT,
    internal: SpanKind.INTERNAL,
  }
  const tracer = provider.getTracer(NAME, VERSION)
  // Never ended, so that no SDK exports it. Without an SDK it has no trace id; with one also where it is not sampled.
  const probe = tracer.startSpan('probe', { root: true }, ROOT_CONTEXT)
  if (!isSpanContextValid(probe.spanContext())) return undefined
  return {
    hasContents: writeContents !== undefined,
    keepsBelow: (parent) => parent === undefined || isSampled(parent),
    start(name, kind, parent, attributes) {
      if (kind === 'internal' && parent !== undefined && !isSampled(parent)) return new UnrecordedSpan(parent)
      const context = parent === undefined ? ROOT_CONTEXT : withParent(parent)
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes: known(attributes) }, context)
      if (!span.isRecording()) return new UnrecordedSpan(toTraceparent(span.spanContext()))
      return new RecordedSpan(span, SpanStatusCode.ERROR, writeContents)
    },
  }
}

/** A span that its SDK keeps. */
class RecordedSpan implements Span {
  readonly isRecorded = true
  readonly traceparent: string
  readonly #span: OpenTelemetry.Span
  readonly #failed: OpenTelemetry.SpanStatusCode
  readonly #writeContents: WriteContents | undefined
  #isOver = false

  constructor(
    span: OpenTelemetry.Span,
    failed: OpenTelemetry.SpanStatusCode,
    writeContents: WriteContents | undefined,
  ) {
    this.#span = span
    this.#failed = failed
    this.#writeContents = writeContents
    this.traceparent = toTraceparent(span.spanContext())
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(known(attributes))
  }

  say(attribute: string, content: unknown): void {
    if (this.#writeContents === undefined || content === undefined || !this.#span.isRecording()) return
    this.#span.setAttribute(attribute, this.#writeContents(content))
  }

  end(error?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    if (error !== undefined) {
      this.#span.setAttribute(ATTRIBUTE.error, error)
      this.#span.setStatus({ code: this.#failed, message: error })
    }
    this.#span.end()
  }
}

/**
 * A span that was not sampled, as nearly all are: nobody reads what it says. Within the service it has no place of its own
 * in the trace: what leaves the service comes from the request.
 */
class UnrecordedSpan implements Span {
  readonly isRecorded = false
  readonly traceparent: string

  constructor(traceparent: string) {
    this.traceparent = traceparent
  }

  set(): void {}
  say(): void {}
  end(): void {}
}

function registered(): TracerProvider | undefined {
  return Object.hasOwn(globalThis, REGISTERED) ? api().trace.getTracerProvider() : undefined
}

function withParent(traceparent: string): Context {
  const { ROOT_CONTEXT, trace } = api()
  return trace.setSpanContext(ROOT_CONTEXT, {
    ...traceIdsOf(traceparent),
    traceFlags: isSampled(traceparent) ? 1 : 0,
    isRemote: true,
  })
}

function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

function known(attributes: SpanAttributes): Attributes {
  const given: Attributes = {}
  for (const name of Object.keys(attributes)) {
    const value = attributes[name]
    if (value !== undefined) given[name] = value
  }
  return given
}
