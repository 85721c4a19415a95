import type * as OpenTelemetry from '@opentelemetry/api'
import type { Attributes, Context, SpanContext, SpanKind, TracerProvider } from '@opentelemetry/api'
import { lazyPackage } from './util/lazy-package.js'
import type { WriteContents } from './util/span-contents.js'
import { ATTRIBUTE } from './util/span-names.js'
import type { SpanAttributes, Tracer, SpanKind as WorkKind } from './util/tracer.js'
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
    start(name, kind, parent, attributes) {
      const context = parent === undefined ? ROOT_CONTEXT : withParent(parent)
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes: known(attributes) }, context)
      let isOver = false
      return {
        traceparent: toTraceparent(span.spanContext()),
        set: (more) => void span.setAttributes(known(more)),
        say(attribute, content) {
          if (writeContents === undefined || content === undefined || !span.isRecording()) return
          span.setAttribute(attribute, writeContents(content))
        },
        end(error) {
          if (isOver) return
          isOver = true
          if (error !== undefined) {
            span.setAttribute(ATTRIBUTE.error, error)
            span.setStatus({ code: SpanStatusCode.ERROR, message: error })
          }
          span.end()
        },
      }
    },
  }
}

function registered(): TracerProvider | undefined {
  return Object.hasOwn(globalThis, REGISTERED) ? api().trace.getTracerProvider() : undefined
}

function withParent(traceparent: string): Context {
  const { ROOT_CONTEXT, trace } = api()
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-')
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
  })
}

function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

function known(attributes: SpanAttributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
}
