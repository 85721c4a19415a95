import { ServiceError } from '../errors.js'
import type { CompiledPrompt } from '../registry/registry.js'
import type { Snapshot } from '../registry/snapshot.js'
import { type SharedAllocation, TemplateError } from '../template/host.js'
import type { CallContext } from '../util/call-context.js'
import { overloaded } from '../util/errors/overloaded.js'
import type { JsonObject } from '../util/json/json.js'
import { isSmall } from '../util/slices/is-small.js'
import { pause } from '../util/slices/pause.js'
import { OwnQueue, type WorkQueue } from '../util/slices/work-queue.js'
import type { Metrics } from '../util/telemetry/metrics.js'
import { assertScenario } from './assert-scenario.js'
import { countFromOne } from './count-from-one.js'
import { DoubtfulEntrance } from './doubtful-entrance.js'
import { type DoubtedWork, GuardedWork } from './guarded-work.js'
import { missingInIncluded } from './included-references.js'
import { INLINE } from './inline-prompt.js'
import { missingPaths } from './missing-paths.js'
import { nameLimit } from './name-limit.js'
import { namePartials } from './name-partials.js'
import { RecentRefusals } from './recent-refusals.js'
import { type Form, JSON_FORM, TEXT_FORM, TRACED_FORM } from './render-form.js'
import { createProgram, type RenderProgram } from './render-program.js'
import { type RenderRequest, seenSnapshot } from './render-request.js'
import { type Attempt, type RenderDependencies, RenderRun } from './render-run.js'
import type { RenderedJson, RenderedPrompt, TracedPrompt } from './rendered-prompt.js'
import { createServedCounter } from './served-counter.js'
import type { RenderWarning } from './tool-functions.js'
import { declaredNames, unknownVariables } from './unknown-variables.js'
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

export interface RendererDependencies extends Omit<RenderDependencies, 'guard' | 'together'> {
  readonly strict: boolean
  readonly metrics: Metrics
  /** Does what is doubted. Default: as all else. */
  readonly guarded?: GuardedWork
  /** Milliseconds that this thread had a processor. Default: of a clock that never goes back. */
  readonly processorMs?: () => number
  /** Notified of a prompt whose templates were interrupted: what was compiled of it is not used again. */
  readonly onInterrupted?: (prompt: { readonly id: string; readonly revision: string }) => void
}

const NO_WARNINGS: readonly RenderWarning[] = []

/** An attempt with its number, from 1. */
interface NumberedAttempt extends Attempt {
  readonly number: number
  /** The request brings along what nobody looked at before. */
  readonly isDoubted: boolean
}

const FIRST_ATTEMPT: NumberedAttempt = { number: 1, isDoubted: false }
const FIRST_DOUBTED_ATTEMPT: NumberedAttempt = { number: 1, isDoubted: true }

/** A render that is tried. */
interface Rendering<Output, Result> {
  readonly request: RenderRequest
  readonly form: Form<Output, Result>
  readonly call: CallContext
  readonly attempt: NumberedAttempt
  /** Undefined where it failed before anything ran. */
  readonly current: RenderRun | undefined
}

/** Creates the renderer. It holds no state but what it worked out about compiled prompts. */
export function createRenderer(dependencies: RendererDependencies): Renderer {
  const {
    strict,
    metrics,
    library,
    turns,
    onInterrupted,
    processorMs = () => performance.now(),
  } = dependencies
  const guarded = dependencies.guarded ?? new GuardedWork({ metrics, now: dependencies.now })
  const together: SharedAllocation = { made: 0 }
  const runDependencies = { ...dependencies, guard: guarded.guard, together }
  const outcomes = metrics.counter('renders_total', 'Renders by outcome', ['outcome'])
  const seconds = metrics.histogram('render_duration_seconds', 'Time of one render').with()
  const succeeded = outcomes.with('success')
  const countServed = createServedCounter(metrics)
  const programs = new WeakMap<CompiledPrompt, RenderProgram>()
  const refusals = new RecentRefusals(dependencies.now)
  const refusal = overloaded()
  const doubtful = new DoubtfulEntrance({ turns, refusal: () => refusal })

  function run<Output, Result>(
    request: RenderRequest,
    form: Form<Output, Result>,
    call: CallContext = request.call,
  ): Result | Promise<Result> {
    const attempt = isForeign(request) ? FIRST_DOUBTED_ATTEMPT : FIRST_ATTEMPT
    if (request.isNew !== true) return attemptAt(request, form, call, attempt)
    if (turns.isFull && refusals.has(request.compiled)) throw refused()
    return attempt.isDoubted ? inTurn(request, form, call) : attemptAt(request, form, call, attempt)
  }

  function refused(): ServiceError {
    outcomes.with(refusal.code).value += 1
    return refusal
  }

  /** A doubted render begins when its turn comes. */
  function inTurn<Output, Result>(
    request: RenderRequest,
    form: Form<Output, Result>,
    call: CallContext,
  ): Result | Promise<Result> {
    const turn = doubtful.wait(request.compiled, call.caller)
    if (turn === undefined) return measured(request, form, call, turns.entrance)
    return turn.then(
      () => {
        // Nobody waits for the answer any more.
        if (call.signal.aborted) throw refused()
        return measured(request, form, call, turns)
      },
      () => {
        throw refused()
      },
    )
  }

  /** Renders, and keeps how long that was at work for the next render of the prompt. */
  function measured<Output, Result>(
    request: RenderRequest,
    form: Form<Output, Result>,
    call: CallContext,
    where: WorkQueue,
  ): Result | Promise<Result> {
    const queue = new OwnQueue(where)
    const begun = doubtful.begin(request.compiled)
    const usedBefore = processorMs()
    let firstMs = 0
    const end = (isSuccess: boolean) => begun.end(Math.max(firstMs, queue.takenMs), isSuccess)
    try {
      const result = attemptAt(request, form, call, { ...FIRST_DOUBTED_ATTEMPT, queue })
      firstMs = processorMs() - usedBefore
      if (!(result instanceof Promise)) {
        end(true)
        return result
      }
      result.then(
        () => end(true),
        () => end(false),
      )
      return result
    } catch (error) {
      firstMs = processorMs() - usedBefore
      end(false)
      throw error
    }
  }

  function attemptAt<Output, Result>(
    request: RenderRequest,
    form: Form<Output, Result>,
    call: CallContext,
    attempt: NumberedAttempt,
  ): Result | Promise<Result> {
    const startedAt = performance.now()
    const { isDoubted } = attempt
    let current: RenderRun | undefined
    try {
      const seen = isDoubted ? prepareGuarded(request, call) : prepare(request, call)
      const { program, snapshot } = seen
      if (seen.isNewProgram) keep(request, program)
      const isGuarded = isDoubted || program.readsMuch(snapshot)
      current = new RenderRun(runDependencies, seen, isGuarded, form.isUnfolded === true, attempt)
      const result = current.execute(form)
      if (result instanceof Promise)
        return finished({ request, form, call, attempt, current }, startedAt, result)
      refusals.forget(request.compiled)
      return succeed(request, startedAt, result)
    } catch (error) {
      return failed({ request, form, call, attempt, current }, error)
    }
  }

  /** In a function of its own: one with a closure takes memory for each render. */
  function finished<Output, Result>(
    rendering: Rendering<Output, Result>,
    startedAt: number,
    result: Promise<Result>,
  ): Promise<Result> {
    return result.then(
      (value) => succeed(rendering.request, startedAt, value),
      (error: unknown) => failed(rendering, error),
    )
  }

  function succeed<Result>(request: RenderRequest, startedAt: number, result: Result): Result {
    succeeded.value += 1
    if (request.served !== undefined) countServed(request)
    seconds.observe((performance.now() - startedAt) / 1000)
    return result
  }

  /** Tries again what was stopped without being to blame. @throws what it failed with */
  function failed<Output, Result>(
    { request, form, call, attempt, current }: Rendering<Output, Result>,
    error: unknown,
  ): Result | Promise<Result> {
    if (isStopped(error)) interrupted(request)
    const guard = guarded.patientAfter(workOf(request), error, attempt.number)
    const earlier = current ?? attempt.earlier
    // In another turn of the loop: two slices of which one is patient are too long for one.
    if (guard !== undefined)
      return pause().then(() =>
        attemptAt(request, form, call, { ...attempt, number: attempt.number + 1, guard, earlier }),
      )
    earlier?.end()
    const failure = guarded.failureOf(workOf(request), error)
    const code = failure instanceof ServiceError ? failure.code : 'internal_error'
    // It may have been ended before anything ran.
    if (current === undefined && code === 'render_limit') programs.delete(request.compiled)
    if (code === 'overloaded') refusals.add(request.compiled)
    outcomes.with(code).value += 1
    throw withHints(nameLimit(countFromOne(failure), dependencies.timeoutMs), request)
  }

  /** What is suggested is looked for among all prompts: where that takes too long nothing is suggested. */
  function withHints(error: unknown, request: RenderRequest): unknown {
    try {
      return guarded.attempt(workOf(request), () => namePartials(error, request.snapshot, request.reach))
    } catch {
      return error
    }
  }

  /** @throws ServiceError where work like it was stopped a moment ago */
  function prepareGuarded(request: RenderRequest, call: CallContext) {
    guarded.assertWelcome(workOf(request), doubtful.isShort(request.compiled))
    return guarded.attempt(workOf(request), () => prepare(request, call))
  }

  /** What is known before anything runs; nothing is changed by it. */
  function prepare(request: RenderRequest, call: CallContext) {
    const known = programs.get(request.compiled)
    const program = known ?? createProgram(request, strict, library, guarded.guard)
    if (request.scenario !== undefined) assertScenario(request.scenario, request, program.plan)
    const snapshot = seenSnapshot(request)
    const variables = check(request, snapshot, program)
    const unknown =
      request.isShared === true ? NO_WARNINGS : unknownVariables(request.variables, program.known)
    return { request, program, snapshot, variables, unknown, call, isNewProgram: known === undefined }
  }

  /**
   * Keeps the compiled program with its prompt. Entries of a WeakMap are only collected by a major GC, however
   * short-lived their keys are, so prompts that are rendered once are not kept: they would pile up until then.
   */
  function keep({ compiled }: RenderRequest, program: RenderProgram): void {
    if (compiled.isPassing !== true) programs.set(compiled, program)
  }

  function interrupted({ compiled, prompt }: RenderRequest): void {
    programs.delete(compiled)
    onInterrupted?.({ id: prompt?.id ?? INLINE, revision: compiled.revision })
  }

  function check(request: RenderRequest, snapshot: Snapshot, program: RenderProgram): JsonObject {
    const { variables, problems, omittedCount } = program.checkVariables(request.variables)
    const own = { variables, args: variables }
    const shared = program.missingContext(snapshot)
    const given = missingPaths(program.fromVariables, own)
    const included = missingInIncluded(program.included, own)
    // Joined only where something is wrong: every render comes by here.
    if (problems.length + shared.length + given.length + included.length === 0) return variables
    const { context } = snapshot
    const known = program.known ?? declaredNames(request.definition)
    const missing = [...shared, ...given, ...included]
    throw variablesError(problems, missing, omittedCount, { context, variables, known })
  }

  return {
    render: (request, call) => run(request, TEXT_FORM, call),
    renderJson: (request, call) => run(request, JSON_FORM, call),
    trace: (request, call) => run(request, TRACED_FORM, call),
    knows: (prompt) => programs.has(prompt),
  }
}

/** Whether a request brings along what nobody looked at before: a text, or variables that are not small. */
function isForeign({ prompt, variables }: RenderRequest): boolean {
  return prompt === undefined || !isSmall(variables)
}

function isStopped(error: unknown): boolean {
  return error instanceof TemplateError && error.reason === 'stopped'
}

/** A render as work that is doubted. */
export function workOf({ prompt, compiled, call }: RenderRequest): DoubtedWork {
  const name = prompt?.id ?? INLINE
  return { kind: 'render', name, text: `${name} ${compiled.revision}`, caller: call.caller }
}
