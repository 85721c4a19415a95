import type { Snapshot } from '../registry/snapshot.js'
import type {
  FunctionLookup,
  HostTemplate,
  RenderOptions,
  RenderSpending,
  SharedAllocation,
  TemplateWarning,
} from '../template/host.js'
import { catalogTools } from '../tools/catalog-tools.js'
import type { ToolCaller } from '../tools/tool.js'
import { together } from '../util/and-then.js'
import { at } from '../util/at.js'
import type { CallContext } from '../util/call-context.js'
import type { JsonObject } from '../util/json/json.js'
import { SLICES } from '../util/slices/budgets.js'
import type { SliceGuard } from '../util/slices/slice.js'
import type { Turns } from '../util/slices/turns.js'
import type { WorkQueue } from '../util/slices/work-queue.js'
import { isSuspended } from './guarded-work.js'
import { refusedTools } from './refused-tools.js'
import type { Form } from './render-form.js'
import type { RenderPlan } from './render-plan.js'
import type { RenderProgram } from './render-program.js'
import type { RenderRequest } from './render-request.js'
import { bindTools, type RenderWarning, type ToolFunctions } from './tool-functions.js'

/** What every render needs. */
export interface RenderDependencies {
  readonly tools: ToolCaller
  /** Beside Go's builtins; a tool never takes the place of one of these. */
  readonly library: FunctionLookup
  /** The context with the request's variables on top, as `variables` and as `args`. */
  readonly withVariables: (context: JsonObject, variables: JsonObject) => JsonObject
  readonly timeoutMs: number
  /** Where renders queue that have yielded. */
  readonly turns: Turns
  /** Ends what holds the event loop for too long. */
  readonly guard: SliceGuard
  /** What all renders have made and not given back. */
  readonly together: SharedAllocation
  /** Additional options of every render, for tests that turn an optimization off. Default: none. */
  readonly moreOptions?: RenderOptions
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** This many templates are started without a look at the clock: each may take a slice. */
const FEW_TEMPLATES = 2

const NO_WARNINGS: readonly RenderWarning[] = []

/** A request with what was found out about it. */
interface SeenRequest {
  readonly request: RenderRequest
  readonly program: RenderProgram
  /** Its variables that mean nothing to it. */
  readonly unknown: readonly RenderWarning[]
  /** The catalog as its templates see it. */
  readonly snapshot: Snapshot
  readonly variables: JsonObject
  readonly call: CallContext
}

/** How a render is tried. */
export interface Attempt {
  /** Default: that of the dependencies. */
  readonly guard?: SliceGuard
  /** Where it queues. Default: at the entrance if nothing was done yet for who asks. */
  readonly queue?: WorkQueue | undefined
  /** The attempt before it, which was stopped because the process hardly had the processor. */
  readonly earlier?: RenderRun | undefined
}

/** One run of a prompt's templates. */
export class RenderRun {
  private readonly plan: RenderPlan
  private readonly templates: readonly HostTemplate[]
  private readonly data: JsonObject
  private readonly tools: ToolFunctions | undefined
  /** Known before anything ran. */
  private readonly notes: readonly RenderWarning[]
  /** What the templates say of themselves. */
  private readonly remarks: RenderWarning[] = []
  /** Epoch milliseconds. */
  private readonly deadlineAt: number
  private readonly dependencies: RenderDependencies
  private readonly guard: SliceGuard
  private readonly turns: WorkQueue
  /** What all templates of the prompt spend together. */
  private readonly spending: RenderSpending
  private readonly isDoubted: boolean

  /** @param isDoubted what it renders may hold the event loop: each slice is guarded from the start */
  constructor(
    dependencies: RenderDependencies,
    { request, program, snapshot, variables, unknown, call }: SeenRequest,
    isDoubted: boolean,
    isUnfolded: boolean,
    { guard = dependencies.guard, queue, earlier }: Attempt,
  ) {
    this.spending = { made: 0, written: 0, together: dependencies.together }
    this.dependencies = dependencies
    this.guard = guard
    const { turns } = dependencies
    this.turns = queue ?? (request.isNew === true ? turns.entrance : turns)
    this.plan = program.plan
    this.templates = isUnfolded ? program.plan.templates : program.templatesIn(snapshot)
    const now = dependencies.now()
    const { deadlineAt = Number.POSITIVE_INFINITY } = call
    this.deadlineAt = Math.min(deadlineAt, now + dependencies.timeoutMs)
    this.data = dependencies.withVariables(snapshot.context, variables)
    if (earlier !== undefined) this.tools = earlier.tools?.again()
    else this.tools = program.mayCallTools(snapshot) ? this.bind(request, call) : undefined
    this.isDoubted = isDoubted
    const { notes = NO_WARNINGS } = request
    this.notes = unknown.length === 0 ? notes : [...notes, ...unknown]
  }

  /**
   * The result of the render. What it allocated is released however it ends, as it may be collected. After a stop for which the
   * render is not to blame its calls continue, for another attempt, or until {@link end}.
   */
  execute<Output, Result>(form: Form<Output, Result>): Result | Promise<Result> {
    let isWaiting = false
    try {
      const outputs = this.outputs(form)
      if (!(outputs instanceof Promise)) return this.finish(form, outputs)
      isWaiting = true
      return outputs
        .then((finished) => this.finish(form, finished))
        .then(
          (result) => {
            this.end()
            this.giveBack()
            return result
          },
          (error: unknown) => {
            if (!isSuspended(error)) this.end()
            this.giveBack()
            throw error
          },
        )
    } finally {
      if (!isWaiting) this.giveBack()
    }
  }

  /** Ends what it called and still waits for. */
  end(): void {
    this.tools?.end()
  }

  private giveBack(): void {
    const { made, together } = this.spending
    if (together !== undefined) together.made -= made
  }

  private finish<Output, Result>(form: Form<Output, Result>, outputs: readonly Output[]): Result {
    return form.finish(this.plan, outputs, this.warnings())
  }

  private warnings(): readonly RenderWarning[] {
    const { notes, remarks, tools } = this
    const called = tools === undefined ? NO_WARNINGS : tools.warnings
    if (remarks.length > 0) return [...notes, ...called, ...remarks]
    return notes.length === 0 ? called : [...notes, ...called]
  }

  /** Starts every template before waiting for any, so that the tools of all messages overlap. */
  private outputs<Output>(form: Form<Output, unknown>): readonly Output[] | Promise<readonly Output[]> {
    const outputs: (Output | Promise<Output>)[] = []
    const isAll = this.start(form, outputs)
    if (!isAll) return this.startInTurns(form, outputs)
    return together(outputs)
  }

  /** Starts templates for a time slice. @returns true once all are started */
  private start<Output>(form: Form<Output, unknown>, outputs: (Output | Promise<Output>)[]): boolean {
    const { templates, data } = this
    const startedAt = templates.length <= FEW_TEMPLATES ? 0 : performance.now()
    try {
      for (let i = outputs.length; i < templates.length; i++) {
        outputs.push(form.execute(at(templates, i), data, this.optionsFor(form.output), this.tools))
        if (startedAt > 0 && performance.now() - startedAt > SLICES.render.ms) break
      }
    } catch (error) {
      this.abandon(outputs, error)
      throw error
    }
    return outputs.length === templates.length
  }

  private async startInTurns<Output>(
    form: Form<Output, unknown>,
    outputs: (Output | Promise<Output>)[],
  ): Promise<readonly Output[]> {
    let heard = 0
    do {
      // Heard here, while others are still to be started: a failure without a handler ends the service.
      for (const output of outputs.slice(heard)) if (output instanceof Promise) output.catch(() => {})
      heard = outputs.length
      await this.dependencies.turns.next()
    } while (!this.start(form, outputs))
    return Promise.all(outputs)
  }

  private optionsFor(output: 'text' | 'json'): RenderOptions {
    const { turns, isDoubted, guard, deadlineAt } = this
    const { now, moreOptions } = this.dependencies
    const options: RenderOptions = {
      missingKey: 'guarded',
      isJson: true,
      output,
      now,
      // The limit is for the prompt: what comes after the first template has what is left.
      deadlineAt,
      turns,
      onWarning: (warning) => this.remarks.push(toRemark(warning)),
      spending: this.spending,
      functions: this.tools,
      guard,
      isDoubted,
    }
    // Made in one piece for every render: spreading takes longer than all of it.
    return moreOptions === undefined ? options : { ...options, ...moreOptions }
  }

  /** One template failed while others wait: stops them too, and reports the failure once. */
  private abandon(outputs: readonly unknown[], error: unknown): void {
    if (!isSuspended(error)) this.end()
    for (const output of outputs) if (output instanceof Promise) output.catch(() => {})
  }

  private bind(request: RenderRequest, call: CallContext): ToolFunctions {
    const { snapshot, reach, tools: observation } = request
    const { library, now } = this.dependencies
    // The addresses of tools are not protected by context rights: a text that may not read the context may still call tools.
    const caller = request.caller ?? this.dependencies.tools
    const toolbox = catalogTools(snapshot, caller, reach?.mayRead === false ? snapshot.context : this.data)
    return bindTools({
      toolbox: reach?.mayCallTools === false ? refusedTools(toolbox) : toolbox,
      library,
      call,
      deadlineAt: this.deadlineAt,
      timeoutMs: this.dependencies.timeoutMs,
      now,
      observation,
    })
  }
}

/** A template's warning with its place. */
function toRemark({ code, message, line, column }: TemplateWarning): RenderWarning {
  return { code, message: `${message} (line ${line}, column ${column})` }
}
