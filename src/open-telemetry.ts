import type * as OpenTelemetry from '@opentelemetry/api'
import type { Context, SpanContext, SpanKind, TracerProvider } from '@opentelemetry/api'
import { lazyPackage } from './util/packages/lazy-package.js'
import { VERSION } from './util/packages/version.js'
import { isSampled } from './util/telemetry/exemplar.js'
import type { WriteContents } from './util/telemetry/span-contents.js'
import { ATTRIBUTE } from './util/telemetry/span-names.js'
import { traceIdsOf } from './util/telemetry/trace-ids.js'
import type { Span, SpanAttributes, Tracer, SpanKind as WorkKind } from './util/telemetry/tracer.js'

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
  const { isSpanContextValid, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api()
  const kinds: Readonly<Record<WorkKind, SpanKind>> = {
    server: SpanKind.SERVER,
    client: SpanKind.CLIENT,
    internal: SpanKind.INTERNAL,
  }
  const tracer = provider.getTracer(NAME, VERSION)
  // Never ended, so that no SDK exports it. Without an SDK it has no trace id; with one also where it is not sampled.
  const probe = tracer.startSpan('probe', { root: true }, ROOT_CONTEXT)
  if (!isSpanContextValid(probe.spanContext())) return undefined
  const shared: Shared = { failed: SpanStatusCode.ERROR, writeContents }
  return {
    hasContents: writeContents !== undefined,
    keepsBelow: (parent) => parent === undefined || isSampled(parent),
    start(name, kind, parent, attributes) {
      if (kind === 'internal' && parent !== undefined && !isSampled(parent))
        return new SdkSpan(trace.wrapSpanContext(contextOf(parent)), shared)
      const context = parent === undefined ? ROOT_CONTEXT : withParent(parent)
      return new SdkSpan(
        tracer.startSpan(name, { kind: kinds[kind], attributes: known(attributes) }, context),
        shared,
      )
    },
  }
}

/** What all spans have in common. */
interface Shared {
  readonly failed: OpenTelemetry.SpanStatusCode
  readonly writeContents: WriteContents | undefined
}

/**
 * A span of the SDK. Nearly none is sampled: nobody reads what such a one says, and within the service it has no place of
 * its own in the trace: what leaves the service comes from the request. All are of one class, so that the few that are
 * sampled do not make V8 compile the path of all requests for two.
 */
class SdkSpan implements Span {
  readonly isRecorded: boolean
  readonly ids: SpanContext
  readonly #span: OpenTelemetry.Span
  readonly #shared: Shared
  #isOver = false

  constructor(span: OpenTelemetry.Span, shared: Shared) {
    this.isRecorded = span.isRecording()
    this.ids = span.spanContext()
    this.#span = span
    this.#shared = shared
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.ids
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  }

  set(attributes: SpanAttributes): void {
    if (this.isRecorded) this.#span.setAttributes(known(attributes))
  }

  say(attribute: string, content: unknown): void {
    const { writeContents } = this.#shared
    if (writeContents === undefined || content === undefined || !this.#span.isRecording()) return
    this.#span.setAttribute(attribute, writeContents(content))
  }

  note(event: string, attributes: SpanAttributes): void {
    if (this.isRecorded) this.#span.addEvent(event, known(attributes))
  }

  end(error?: string): void {
    if (this.#isOver || !this.isRecorded) return
    this.#isOver = true
    if (error !== undefined) {
      this.#span.setAttribute(ATTRIBUTE.error, error)
      this.#span.setStatus({ code: this.#shared.failed, message: error })
    }
    this.#span.end()
  }
}

function registered(): TracerProvider | undefined {
  return Object.hasOwn(globalThis, REGISTERED) ? api().trace.getTracerProvider() : undefined
}

function withParent(traceparent: string): Context {
  const { ROOT_CONTEXT, trace } = api()
  return trace.setSpanContext(ROOT_CONTEXT, contextOf(traceparent))
}

function contextOf(traceparent: string): SpanContext {
  return { ...traceIdsOf(traceparent), traceFlags: isSampled(traceparent) ? 1 : 0, isRemote: true }
}

/** The API takes no undefined values. Most attributes have none, and are passed as they are: every request has some. */
function known(attributes: SpanAttributes): SpanAttributes {
  for (const name in attributes) if (attributes[name] === undefined) return withoutUndefined(attributes)
  return attributes
}

function withoutUndefined(attributes: SpanAttributes): SpanAttributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
}
