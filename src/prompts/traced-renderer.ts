import { type CallContext, narrowContext } from '../util/call-context.js'
import { codeOf } from '../util/errors/code-of.js'
import { type JsonObject, own } from '../util/json/json.js'
import { ATTRIBUTE, SPAN, variableAttribute } from '../util/telemetry/span-names.js'
import type { Span, Tracer } from '../util/telemetry/tracer.js'
import { INLINE } from './inline-prompt.js'
import type { Renderer } from './render.js'
import type { RenderRequest } from './render-request.js'
import type { RenderedJson, RenderedPrompt, TracedPrompt } from './rendered-prompt.js'
import type { RenderWarning } from './tool-functions.js'

/** This many variables of a render are noted. */
const MAX_VARIABLES = 64

type Rendered = RenderedPrompt | RenderedJson | TracedPrompt

/**
 * A renderer whose every render is a span, below which its tools' spans are. Nearly all belong to traces that nobody keeps:
 * those go by.
 */
export function createTracedRenderer(renderer: Renderer, tracer: Tracer): Renderer {
  function traced<Result extends Rendered>(
    request: RenderRequest,
    call: CallContext,
    render: (request: RenderRequest, call: CallContext) => Result | Promise<Result>,
  ): Result | Promise<Result> {
    const { compiled, prompt, definition, served } = request
    const span = tracer.start(SPAN.render(prompt?.id ?? INLINE), 'internal', call.traceparent, {
      [ATTRIBUTE.promptName]: prompt?.id,
      [ATTRIBUTE.promptVersion]:
        prompt === undefined ? undefined : (served?.number.toString() ?? definition.version),
      [ATTRIBUTE.promptLabel]: served?.label,
      [ATTRIBUTE.promptBucket]: served?.bucket,
      [ATTRIBUTE.promptRevision]: prompt?.revision,
      [ATTRIBUTE.cacheHit]: renderer.knows(compiled),
    })
    if (tracer.hasContents) sayVariables(span, request.variables)
    return settled(span, () => render(request, narrowContext(call, { traceparent: span.traceparent })))
  }

  /** Renders as a span where its trace is kept. */
  function seen<Result extends Rendered>(
    render: (request: RenderRequest, call: CallContext) => Result | Promise<Result>,
  ) {
    return (request: RenderRequest, call = request.call) =>
      call.isTraced !== false && tracer.keepsBelow(call.traceparent)
        ? traced(request, call, render)
        : render(request, call)
  }

  const { render, renderJson, trace, knows } = renderer
  return { render: seen(render), renderJson: seen(renderJson), trace: seen(trace), knows }
}

function sayVariables(span: Span, variables: JsonObject): void {
  for (const name of Object.keys(variables).slice(0, MAX_VARIABLES))
    span.say(variableAttribute(name), own(variables, name))
}

/** Ends a span with the work, which may be done at once. */
function settled<Result extends Rendered>(
  span: Span,
  work: () => Result | Promise<Result>,
): Result | Promise<Result> {
  const end = (result: Result): Result => {
    span.set({ [ATTRIBUTE.warnings]: warningsOf(result).length })
    span.end()
    return result
  }
  const fail = (error: unknown): never => {
    span.end(codeOf(error))
    throw error
  }
  try {
    const result = work()
    return result instanceof Promise ? result.then(end, fail) : end(result)
  } catch (error) {
    return fail(error)
  }
}

function warningsOf(result: Rendered): readonly RenderWarning[] {
  return 'prompt' in result ? result.prompt.warnings : result.warnings
}
