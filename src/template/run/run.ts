import {
  type MissingKey,
  type PartialLookup,
  type RenderOptions,
  TemplateError,
  type TemplateLimits,
} from '../api.js'
import type { SeenTexts } from '../fast/known-ascii.js'
import { abortError, depthLimit } from '../limit-errors.js'
import { withLimits } from '../limits.js'
import type { Rules } from '../program.js'
import type { FieldSite, Site } from '../site.js'
import type { Value } from '../value.js'
import { Budget, type RunMode } from './budget.js'
import type { BoundCall, CallSite } from './call.js'
import { Calls } from './calls.js'
import { firstFailure } from './failure-order.js'
import { toLookup } from './function-lookup.js'
import { Output } from './output.js'
import { type Pending, SUSPEND } from './pending.js'
import { printInSlices } from './print-slowly.js'
import { findMethod, readField } from './read-field.js'
import { settleDelayed } from './settle-delayed.js'
import { GIVE_WAY, type Steps } from './steps.js'
import type { Trace } from './trace.js'
import { ValueBoundary } from './value-boundary.js'
import { wordedFailure } from './worded-failure.js'

/** What runs a template inside another's run; `element` is that of the loop around it, in the dialect that has one. */
export type RunTemplate = (run: Run, output: string, dot: Value, element?: Value) => string | Steps<string>

/** What the run needs of a template to start it. */
export interface Defaults {
  readonly limits: TemplateLimits
  readonly partials: PartialLookup | undefined
  readonly rules: Rules
}

/** Texts up to this length are written without counting. */
const FREE_OUTPUT = 10_000

/**
 * One render: what it may spend, what it wrote, what it called, what comes in, and where it is. Generated code passes
 * the latest text of the output along as an argument and gets it back.
 */
export class Run {
  readonly budget: Budget
  readonly output: Output
  /** The place of what generated code cannot place itself: the argument of `and` or `or` that was evaluated last. */
  at: Site
  /** The data of the template that runs: of the render, or of one that is included. */
  data: Value
  /** Records the origins of the output, in a program that is compiled for it. */
  trace: Trace<RunTemplate> | null = null
  readonly #defaults: Defaults
  readonly #options: RenderOptions
  readonly #isShared: boolean
  #calls: Calls | null = null
  #boundary: ValueBoundary | null = null

  /** @param isShared several renders are going to use the run at once: it keeps nothing of them */
  constructor(start: Site, defaults: Defaults, options: RenderOptions, mode: RunMode, isShared = false) {
    const budget = new Budget(withLimits(defaults.limits, options.limits), options, mode, start)
    this.budget = budget
    this.output = new Output(options.output === 'json', budget.maxOutput, budget.maxWidth, options.onWarning)
    this.at = start
    this.#defaults = defaults
    this.#options = options
    this.#isShared = isShared
    if (options.signal?.aborted) throw abortError(start, options.signal.reason)
  }

  /** Created on first use, as the boundary is: most renders call no function, and print what came as JSON. */
  get calls(): Calls {
    const { functions } = this.#options
    this.#calls ??= new Calls(this.budget, this.output, this.boundary, functions && toLookup(functions))
    return this.#calls
  }

  get boundary(): ValueBoundary {
    this.#boundary ??= new ValueBoundary(this.budget, this.#options.isJson === true, this.#isShared)
    return this.#boundary
  }

  /** Whether results are still under way. */
  get isPending(): boolean {
    return this.#calls !== null && this.#calls.pendings !== null
  }

  get rules(): Rules {
    return this.#defaults.rules
  }

  /** The run's own partials come before the template's. */
  get partials(): PartialLookup | undefined {
    return this.#options.partials ?? this.#defaults.partials
  }

  get #missingKey(): MissingKey {
    return this.rules.missingKey ?? this.#options.missingKey ?? 'default'
  }

  /** Starts again in cooperative mode, keeping the results of all calls. */
  restart(start: Site): void {
    this.budget.mode = 'cooperative'
    this.reset(start)
    this.budget.slices.arrive()
  }

  /** From here on only pending calls are awaited: the run is not restarted, so results of its calls are dropped. */
  onlyWait(): void {
    this.budget.mode = 'cooperative'
    this.#calls?.forgetResults()
  }

  /** The render is over: the run may serve another, with limits and options as before. */
  rest(start: Site): void {
    // Whatever else changes takes steps.
    if (!this.budget.isUntouched) this.reset(start)
    if (this.at !== start) this.at = start
    this.#boundary?.rest()
    this.#calls?.rest()
    this.data = undefined
    this.budget.rest()
  }

  /** Resets the run for another render with the same limits and options. */
  reset(start: Site): void {
    this.budget.reset()
    this.output.reset()
    this.at = start
  }

  // Fields

  /** What a path leads to where generated code found nothing. @throws TemplateError */
  field(site: FieldSite, receiver: Value, container?: Value): Value {
    return readField(this, this.#missingKey, site, receiver, container)
  }

  /** The method that a path with arguments names. @throws TemplateError */
  method(site: FieldSite, call: CallSite, receiver: Value, container?: Value): BoundCall | undefined {
    return findMethod(this, this.#missingKey, site, call, receiver, container)
  }

  // Steps and turns

  /** Counts one step and checks the length of the output. @returns the output to continue with */
  tick(text: string, site: Site): string {
    this.output.check(text, site)
    if (this.budget.steps >= 0) return text
    this.budget.renewSteps(site)
    return this.output.setAside(text)
  }

  /** Lets others run if this run held the event loop long enough. */
  *pause(text: string, site: Site): Steps<string> {
    let rest = this.tick(text, site)
    if (this.#calls?.delays?.since) {
      yield* settleDelayed(this)
      rest = this.tick(rest, site)
    }
    this.budget.clock(site)
    if (this.budget.isSliceOver()) yield GIVE_WAY
    return rest
  }

  /** Charges a text that is printed, before it is escaped. */
  prints(output: string, text: string): void {
    if (text.length <= FREE_OUTPUT) return
    this.output.check(output, this.at)
    this.budget.charge(this.at, text.length)
  }

  /** The value of a pending result; the first failure in the order of the text wins. */
  *need(pending: Pending): Steps<Value> {
    // A step of its own would be a guarded slice, which costs more than most uses of the value.
    if (pending.$state === 'done') return pending.$value
    try {
      return yield pending
    } catch (error) {
      throw yield* firstFailure(this, error)
    }
  }

  /** Leaves a value that is too large for one go to `printLarge`. */
  leaveLarge(output: string, value: Value): string {
    if (this.budget.mode !== 'cooperative') {
      // To find out may have taken long.
      this.budget.slices.noteTime()
      throw SUSPEND
    }
    this.output.large = value
    return output
  }

  /** Prints the value that was left, in time slices. */
  *printLarge(output: string): Steps<string> {
    const value = this.output.large
    this.output.large = null
    return output + (yield* printInSlices(this, value, output.length))
  }

  // Templates

  /** Enters a template called by name. */
  enter(site: Site, source: 'text' | PartialLookup | undefined, output: string): string {
    const { budget } = this
    const { failures } = site.program.rules
    if (source !== 'text') {
      const name = site.node.kind === 'template' ? site.node.name : ''
      if ((this.partials?.get(name) ?? source?.get(name)) === undefined) {
        throw failures.unknownTemplate(site, name)
      }
    }
    const maxDepth = this.rules.maxDepth ?? budget.limits.maxDepth
    if (budget.depth >= maxDepth) throw failures.tooDeep(site, maxDepth)
    budget.depth++
    return --budget.steps < 0 || output.length > budget.maxOutput ? this.tick(output, site) : output
  }

  /** Enters a template from outside the text, which was entered by its name; some dialects count these alone anyway. */
  enterPartial(site: Site, data: Value): void {
    const { maxPartialDepth } = this.budget.limits
    if (this.budget.partialDepth >= maxPartialDepth && site.program.rules.maxDepth === undefined) {
      throw depthLimit(site, maxPartialDepth)
    }
    this.budget.partialDepth++
    this.data = data
  }

  /** Returns to the data of the enclosing template. @param texts the static texts of the template that ends */
  leavePartial(output: string, data: Value, texts: SeenTexts): string {
    this.budget.partialDepth--
    this.data = data
    if (!texts.isAscii) this.output.isAscii = false
    return output
  }

  // Failures

  /** What a generated function throws on: the error with the output so far. */
  caught(error: unknown, output: string): unknown {
    if (error === SUSPEND) return error
    const failure = wordedFailure(this, error)
    return failure instanceof TemplateError ? this.output.failed(failure, output) : failure
  }
}
