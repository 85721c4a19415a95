import { ServiceError } from '../errors.js'
import type { CompiledPrompt } from '../registry/registry.js'
import type { Snapshot } from '../registry/snapshot.js'
import type { MadeTogether } from '../template/api.js'
import type { CallContext } from '../util/call-context.js'
import type { JsonObject } from '../util/json.js'
import type { Metrics } from '../util/metrics.js'
import { overloaded } from '../util/overloaded.js'
import { assertScenario } from './assert-scenario.js'
import { missingInIncluded } from './included-references.js'
import { missingPaths } from './missing-paths.js'
import { namePartials } from './name-partials.js'
import { RecentRefusals } from './recent-refusals.js'
import { type Form, JSON_FORM, TEXT_FORM, TRACED_FORM } from './render-form.js'
import { createProgram, type Program } from './render-program.js'
import { type RenderRequest, seenSnapshot } from './render-request.js'
import { type RenderDependencies, RenderRun } from './render-run.js'
import type { RenderedJson, RenderedPrompt, TracedPrompt } from './rendered-prompt.js'
import { declaredNames } from './unknown-variables.js'
import { variablesError } from './variables-error.js'

/**
 * Renders prompts of a snapshot: checks variables, binds tools, holds the limits.
 * Both forms answer at once, without a promise, when the prompt waits for nothing.
 *
 * @param call for whom, where that is not the request's: a copy of the request would have another hidden class, and V8
 *   would compile the path of all renders for both
 * @throws ServiceError `invalid_variables`, `missing_variables`, `invalid_request` for another scenario, and TemplateError
 */
export interface Renderer {
  render(request: RenderRequest, call?: CallContext): RenderedPrompt | Promise<RenderedPrompt>
  renderJson(request: RenderRequest, call?: CallContext): RenderedJson | Promise<RenderedJson>
  /** Renders as `render` does, by programs that are compiled for this. */
  trace(request: RenderRequest, call?: CallContext): TracedPrompt | Promise<TracedPrompt>
  /** Whether what was worked out for an earlier render of it is still there. */
  knows(prompt: CompiledPrompt): boolean
}

export interface RendererDependencies extends RenderDependencies {
  readonly strict: boolean
  readonly metrics: Metrics
}

/** Creates the renderer. It holds no state but what it worked out about compiled prompts. */
export function createRenderer(dependencies: RendererDependencies): Renderer {
  const { strict, metrics, library } = dependencies
  const outcomes = metrics.counter('renders_total', 'Renders by outcome', ['outcome'])
  const seconds = metrics.histogram('render_duration_seconds', 'Time of one render').with()
  const succeeded = outcomes.with('success')
  const programs = new WeakMap<CompiledPrompt, Program>()
  const together: MadeTogether = { made: 0 }
  const refusals = new RecentRefusals(dependencies.now)
  const refusedAgain = overloaded()

  function run<Output, Result>(
    request: RenderRequest,
    form: Form<Output, Result>,
    call: CallContext = request.call,
  ): Result | Promise<Result> {
    if (request.isNew === true && dependencies.turns.isFull && refusals.has(request.compiled)) {
      outcomes.with(refusedAgain.code).value += 1
      throw refusedAgain
    }
    const startedAt = performance.now()
    const failed = (error: unknown): never => {
      const code = error instanceof ServiceError ? error.code : 'internal_error'
      if (code === 'overloaded') refusals.add(request.compiled)
      outcomes.with(code).value += 1
      throw namePartials(error, request.snapshot, request.reach)
    }
    const succeed = (result: Result): Result => {
      succeeded.value += 1
      seconds.observe((performance.now() - startedAt) / 1000)
      return result
    }
    try {
      const program = programOf(request)
      if (request.scenario !== undefined) assertScenario(request.scenario, request, program.plan)
      const snapshot = seenSnapshot(request)
      const variables = check(request, snapshot, program)
      const seen = { request, snapshot, variables, call }
      const result = new RenderRun(dependencies, seen, program, form.isUnfolded === true, together).execute(
        form,
      )
      if (result instanceof Promise) return result.then(succeed, failed)
      refusals.forget(request.compiled)
      return succeed(result)
    } catch (error) {
      return failed(error)
    }
  }

  /**
   * What a weak map holds survives every collection of what is new, however soon its key is gone: of prompts that are
   * rendered once it would hold all, until the whole heap was gone through.
   */
  function programOf(request: RenderRequest): Program {
    const { compiled } = request
    const known = programs.get(compiled)
    if (known !== undefined) return known
    const program = createProgram(request, strict, library)
    if (compiled.isPassing !== true) programs.set(compiled, program)
    return program
  }

  function check(request: RenderRequest, snapshot: Snapshot, program: Program): JsonObject {
    const { variables, problems, untold } = program.checkVariables(request.variables)
    const own = { variables, args: variables }
    const shared = program.missingContext(snapshot)
    const given = missingPaths(program.fromVariables, own)
    const included = missingInIncluded(program.included, own)
    // Joined only where something is wrong: every render comes by here.
    if (problems.length + shared.length + given.length + included.length === 0) return variables
    const { context } = snapshot
    const known = program.known ?? declaredNames(request.definition)
    const missing = [...shared, ...given, ...included]
    throw variablesError(problems, missing, untold, { context, variables, known })
  }

  return {
    render: (request, call) => run(request, TEXT_FORM, call),
    renderJson: (request, call) => run(request, JSON_FORM, call),
    trace: (request, call) => run(request, TRACED_FORM, call),
    knows: (prompt) => programs.has(prompt),
  }
}
