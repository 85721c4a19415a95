import {
  AlwaysOnSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { openTelemetry } from '../../src/open-telemetry.js'
import type { WriteContents } from '../../src/util/telemetry/span-contents.js'
import type { Tracer } from '../../src/util/telemetry/tracer.js'

/** A span as tests look at it. */
export interface SeenSpan {
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly failed: boolean
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
  readonly events: readonly {
    readonly name: string
    readonly attributes: Readonly<Record<string, unknown>>
  }[]
}

/** The real SDK, collecting in memory. */
export interface CollectedSpans {
  readonly tracer: Tracer
  spans(): readonly SeenSpan[]
  /** The names, each indented below its parent, siblings by name. */
  tree(): readonly string[]
  clear(): void
}

/** Opens the tracer of a real SDK. */
export function collectSpans(
  sampler: Sampler = new AlwaysOnSampler(),
  writeContents?: WriteContents,
): CollectedSpans {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ sampler, spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const tracer = openTelemetry(provider, writeContents)
  if (tracer === undefined) throw new Error('the SDK was not noticed')
  const spans = () => exporter.getFinishedSpans().map(toSeen)
  return {
    tracer,
    spans,
    tree: () => treeOf(spans()),
    clear: () => exporter.reset(),
  }
}

function toSeen(span: ReadableSpan): SeenSpan {
  const { traceId, spanId } = span.spanContext()
  const { name, attributes, status, parentSpanContext } = span
  const events = span.events.map((event) => ({ name: event.name, attributes: event.attributes ?? {} }))
  const parentId = parentSpanContext?.spanId
  return { name, attributes, failed: status.code === 2, traceId, spanId, parentId, events }
}

function treeOf(spans: readonly SeenSpan[]): readonly string[] {
  const known = new Set(spans.map(({ spanId }) => spanId))
  const sorted = [...spans].sort((one, other) => (one.name < other.name ? -1 : 1))
  const below = (parent: SeenSpan | undefined, depth: number): string[] =>
    sorted
      .filter(({ parentId }) =>
        parent === undefined ? !known.has(parentId ?? '') : parentId === parent.spanId,
      )
      .flatMap((span) => [`${'  '.repeat(depth)}${span.name}`, ...below(span, depth + 1)])
  return below(undefined, 0)
}
