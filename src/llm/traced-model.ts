import { ServiceError } from '../errors.js'
import { ATTRIBUTE, OPERATION, SPAN } from '../util/span-names.js'
import type { Span, Tracer } from '../util/tracer.js'
import type { CallOptions, CallReport, Completion, CompletionStream, ModelRequest, Usage } from './model.js'
import { reportOf } from './model-error.js'
import type { RoutedModel } from './router.js'

/** A model whose every call, with all its attempts, is one span: until the last event, where it is a stream. */
export function createTracedModel(model: RoutedModel, tracer: Tracer): RoutedModel {
  function start(request: ModelRequest, options: CallOptions): { span: Span; traced: CallOptions } {
    const span = tracer.start(SPAN.chat(request.model), 'client', options.traceparent, {
      [ATTRIBUTE.operation]: OPERATION.chat,
      [ATTRIBUTE.requestModel]: request.model,
    })
    return { span, traced: { ...options, traceparent: span.traceparent } }
  }

  async function complete(request: ModelRequest, options: CallOptions): Promise<Completion> {
    const { span, traced } = start(request, options)
    try {
      const completion = await model.complete(request, traced)
      describe(span, completion.report, completion.usage, completion.cost)
      span.end()
      return completion
    } catch (error) {
      throw failed(span, error)
    }
  }

  async function stream(request: ModelRequest, options: CallOptions): Promise<CompletionStream> {
    const { span, traced } = start(request, options)
    try {
      const answer = await model.stream(request, traced)
      answer.ended.then((failure) => {
        describe(span, answer.report, answer.usage(), answer.cost?.())
        span.end(failure?.code)
      })
      return answer
    } catch (error) {
      throw failed(span, error)
    }
  }

  return {
    complete,
    stream,
    supportsResponses: (name) => model.supportsResponses(name),
    list: () => model.list(),
    status: () => model.status(),
    close: () => model.close(),
  }
}

function describe(span: Span, report: CallReport, usage: Usage | undefined, cost: number | undefined): void {
  span.set({
    [ATTRIBUTE.provider]: report.upstream,
    [ATTRIBUTE.responseModel]: report.model,
    [ATTRIBUTE.attempts]: report.attempts,
    [ATTRIBUTE.inputTokens]: usage?.inputTokens,
    [ATTRIBUTE.outputTokens]: usage?.outputTokens,
    [ATTRIBUTE.cost]: cost,
  })
}

function failed(span: Span, error: unknown): unknown {
  const report = reportOf(error)
  if (report !== undefined) describe(span, report, undefined, undefined)
  span.end(error instanceof ServiceError ? error.code : 'internal_error')
  return error
}
