import { ServiceError } from '../errors.js'
import type { CompiledPrompt } from '../registry/registry.js'
import { narrowContext } from '../util/call-context.js'
import { type JsonObject, own } from '../util/json.js'
import { ATTRIBUTE, SPAN, variableAttribute } from '../util/span-names.js'
import type { Span, Tracer } from '../util/tracer.js'
import type { Renderer } from './render.js'
import type { RenderRequest } from './render-request.js'
import type { RenderedJson, RenderedPrompt, TracedPrompt } from './rendered-prompt.js'
import type { RenderWarning } from './tool-functions.js'

/** The name of what a request brings along. */
const INLINE = 'inline'

/** So many variables of a render are noted. */
const MAX_VARIABLES = 64

type Rendered = RenderedPrompt | RenderedJson | TracedPrompt

/** A renderer whose every render is a span, below which its tools' spans are. */
export function createTracedRenderer(renderer: Renderer, tracer: Tracer): Renderer {
  const rendered = new WeakSet<CompiledPrompt>()

  function traced<Result extends Rendered>(
    request: RenderRequest,
    render: (request: RenderRequest) => Result | Promise<Result>,
  ): Result | Promise<Result> {
    const { call, compiled, prompt, definition } = request
    // Nearly all renders are such, and a copy of their request costs more than the rest.
    if (!tracer.keepsBelow(call.traceparent)) return unseen(request, render)
    const span = tracer.start(SPAN.render(prompt?.id ?? INLINE), 'internal', call.traceparent, {
      [ATTRIBUTE.promptName]: prompt?.id,
      [ATTRIBUTE.promptVersion]: prompt === undefined ? undefined : definition.version,
      [ATTRIBUTE.promptRevision]: prompt?.revision,
      [ATTRIBUTE.cacheHit]: rendered.has(compiled),
    })
    rendered.add(compiled)
    if (tracer.hasContents) sayVariables(span, request.variables)
    return settled(span, () =>
      render({ ...request, call: narrowContext(call, { traceparent: span.traceparent }) }),
    )
  }

  function unseen<Result>(request: RenderRequest, render: (request: RenderRequest) => Result): Result {
    rendered.add(request.compiled)
    return render(request)
  }

  return {
    render: (request) => traced(request, renderer.render),
    renderJson: (request) => traced(request, renderer.renderJson),
    trace: (request) => traced(request, renderer.trace),
  }
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
    span.end(error instanceof ServiceError ? error.code : 'internal_error')
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
