import { type CallContext, narrowContext } from '../call-context.js'
import { codeOf } from '../errors/code-of.js'
import type { Span, SpanAttributes, Tracer } from './tracer.js'

/** What a span of our own work says at its start. */
export interface WorkInSpan {
  readonly name: string
  readonly attributes: SpanAttributes
}

/**
 * Does work as one span below the call's: it gets the call with the span as the parent of all that it does. Without a
 * tracer it gets the call as it is. A failure is the span's, by its code.
 */
export async function inSpan<Result>(
  tracer: Tracer | undefined,
  call: CallContext,
  { name, attributes }: WorkInSpan,
  work: (call: CallContext, span?: Span) => Promise<Result>,
): Promise<Result> {
  if (tracer === undefined) return work(call)
  const span = tracer.start(name, 'internal', call.traceparent, attributes)
  try {
    const result = await work(narrowContext(call, { traceparent: span.traceparent }), span)
    span.end()
    return result
  } catch (error) {
    span.end(codeOf(error))
    throw error
  }
}
