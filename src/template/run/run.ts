import type {
  CallCost,
  DeclaredFunction,
  FunctionLookup,
  MissingKey,
  PartialLookup,
  RenderOptions,
  Template,
  TemplateError,
  TemplateFunction,
  TemplateLimits,
} from '../api.js'
import { TemplateError as TemplateFailureError } from '../api.js'
import type { TemplateNode } from '../ast.js'
import type { ByteSink, LongText } from '../fast/byte-sink.js'
import { formatArgument } from '../format/format-value.js'
import { LimitError } from '../format/go-error.js'
import { quote } from '../format/quote.js'
import { abortError, deadlineError, depthLimit, limitMet, outputLimit, stepLimit } from '../limit-errors.js'
import { withLimits } from '../limits.js'
import type { Rules } from '../program.js'
import { execError, type FieldSite, type Site, withPartial } from '../site.js'
import { Typed, type Value } from '../value.js'
import { Answers } from './answers.js'
import { ForeignValueError, Inward, isOwn, isShallow, pathTo } from './border.js'
import { Budget, CHARACTERS_PER_ELEMENT, type RunMode } from './budget.js'
import { BoundCall, type CallSite, toLookup, toResult } from './call.js'
import { type Cursor, openCursor } from './cursor.js'
import { escapeJson } from './escape-json.js'
import { firstFailure } from './failure-order.js'
import { Flights } from './flights.js'
import { follow, ignoreFailure, isPromise, Pending, SUSPEND } from './pending.js'
import { formatPrinted } from './print.js'
import { isLarge, piecesOf } from './print-slowly.js'
import { findMethod, readField } from './read-field.js'
import type { Trace } from './trace.js'
import { RunPrinting, Warnings } from './warnings.js'

/** What runs a template inside another's run; `element` is that of the loop around it, in the dialect that has one. */
export type RunTemplate = (run: Run, output: string, dot: Value, element?: Value) => string | Promise<string>

/** What the run needs of a template to start it. */
export interface Defaults {
  readonly limits: TemplateLimits
  readonly partials: PartialLookup | undefined
  readonly rules: Rules
}

/** Pieces of a large value between two looks at the clock. */
const PIECES_PER_LOOK = 1024
/** What it costs to copy an element of a list, and to sort a key of a dict, before ranging over it. */
const ITEM_COST = 10
const KEY_COST = 300
/** Output longer than this is set aside at the next look at the clock. */
const CHUNK_LENGTH = 1 << 16
/** Texts up to this length are written without counting. */
const FREE_OUTPUT = 10_000
/** What a call costs whose function says nothing. */
const PLAIN_CALL: CallCost = {
  perCall: 1_000,
  perCharacter: 0,
  maxCharacters: Number.POSITIVE_INFINITY,
  elements: 'none',
  perElement: 0,
  perMember: 0,
  maxElements: Number.POSITIVE_INFINITY,
  perCount: 0,
  makes: true,
}

/** What few renders need: one field of a run, as making a run costs as much as a short prompt. */
class Rare {
  warnings: Warnings | null = null
  printing: RunPrinting | null = null
  inward: Inward | null = null
  answers: Answers | null = null
  /** What was included last with the whole data. */
  included: Included | null = null
  isShared = false

  /** Forgets what belongs to one render. */
  rest(): void {
    this.inward = null
    this.answers = null
    this.included = null
  }
}

interface Included {
  readonly template: Pick<Template, 'whenIncluded'>
  readonly data: Value
  readonly filled: Value
}

/** Where the parts and the pendings begin of a statement whose calls wait for the run's next turn. */
interface Delayed {
  readonly parts: number
  readonly pendings: number
}

/** One render: its limits, its asynchronous calls, and the parts of its output that are not yet joined. */
export class Run {
  readonly budget: Budget
  /** Whether a render uses this run; a function may render the same template meanwhile. */
  isBusy = true
  /** Why a part of a large template returned: 1 for break, 2 for continue. */
  jump = 0
  /** The argument of `and` or `or` evaluated last. */
  at: Site
  readonly json: boolean
  /** Of JSON output: false once something printed was more than ASCII. */
  isAscii = true
  /** Texts and pending results before the current text, once something asynchronous was printed. */
  parts: (string | Pending)[] | null = null
  /** A value to print in time slices. */
  large: Value = null
  flushed = 0
  /** Where the output goes that comes before all parts, in a render that writes its bytes as it goes. */
  sink: ByteSink | null = null
  /** Every asynchronous result, in the order of the text. */
  pendings: Pending[] | null = null
  /** A failure met while output before it was pending, with the output after that. */
  unjoined: { readonly error: TemplateError; readonly output: string } | null = null
  stopped: TemplateError | null = null
  /** Told where the output comes from, in a program that is compiled for it. */
  trace: Trace<RunTemplate> | null = null
  #rare: Rare | null = null
  /** The data of the template that runs: of the render, or of one that is included. */
  data: Value
  readonly #functions: FunctionLookup | undefined
  readonly #defaults: Defaults
  readonly #options: RenderOptions
  /** Set while calls of a statement wait for the run's next turn. */
  #delayed: Delayed | null = null
  /** Results of the calls of an abandoned run, which the next one takes instead of calling again. */
  #log: unknown[] | null
  #replayed = 0
  #flights: Flights | null = null

  constructor(start: Site, defaults: Defaults, options: RenderOptions, mode: RunMode) {
    this.budget = new Budget(withLimits(defaults.limits, options.limits), options, mode)
    this.#defaults = defaults
    this.#options = options
    this.at = start
    this.json = options.output === 'json'
    this.#functions = options.functions === undefined ? undefined : toLookup(options.functions)
    this.#log = mode === 'optimistic' ? [] : null
    if (options.signal?.aborted) throw abortError(start, options.signal.reason)
  }

  /** Several renders are going to use this run at once: it keeps nothing of them. */
  share(): void {
    this.rare.isShared = true
  }

  private get rare(): Rare {
    this.#rare ??= new Rare()
    return this.#rare
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

  get #maxDepth(): number {
    return this.rules.maxDepth ?? this.budget.limits.maxDepth
  }

  /** Starts again in cooperative mode, keeping the results of all calls. */
  restart(start: Site): void {
    this.budget.mode = 'cooperative'
    this.reset(start)
    this.budget.sliceStart = performance.now()
  }

  /** Nothing but what is pending goes on: it lets others run in between, and the run never starts again. */
  onlyWait(): void {
    this.budget.mode = 'cooperative'
    this.#log = null
  }

  /** The render is over: the run may serve another, with limits and options as before. */
  rest(start: Site): void {
    // Whatever else changes takes steps.
    if (!this.budget.isUntouched) this.reset(start)
    if (this.at !== start) this.at = start
    if (this.#rare !== null) this.#rare.rest()
    this.data = undefined
    this.budget.rest()
    this.isBusy = false
  }

  /** Ready to render anew, with limits and options as before. */
  reset(start: Site): void {
    this.budget.reset()
    this.jump = 0
    this.at = start
    this.parts = null
    this.unjoined = null
    this.flushed = 0
    this.sink = null
  }

  // Fields

  field(site: FieldSite, receiver: Value, container?: Value): Value {
    return readField(this, this.#missingKey, site, receiver, container)
  }

  method(site: FieldSite, call: CallSite, receiver: Value, container?: Value): BoundCall | undefined {
    return findMethod(this, this.#missingKey, site, call, receiver, container)
  }

  // Calls

  /** Finds the function of a call and checks the number of arguments. */
  resolve(site: CallSite): BoundCall {
    const target = this.#functions?.get(site.name) ?? site.functions.get(site.name)
    if (site.bound !== null && site.bound.target === target) return site.bound
    if (target === undefined) {
      throw execError(site.nameSite, `${quote(site.name)} is not a defined function`)
    }
    const bound = new BoundCall(site, target as TemplateFunction | DeclaredFunction)
    site.bound = bound
    return bound
  }

  /** Calls a function with checked arguments; arguments that are pending delay the call, not the run. */
  invoke(bound: BoundCall, values: Value[]): Value {
    const log = this.#log
    if (log !== null && this.budget.mode === 'cooperative') {
      if (this.#replayed < log.length) return log[this.#replayed++]
      this.#log = null
    }
    const result = this.#start(bound, values)
    if (this.#log !== null) this.#log.push(result)
    return result
  }

  #start(bound: BoundCall, values: Value[]): Value {
    if (values.some(isPending)) {
      return this.defer(values, (settled) => this.#start(bound, settled.map(nilForMissing)))
    }
    const flights = this.#flights
    if (flights?.mustWait(bound.call)) {
      const turn = flights.turn().then(() => this.#call(bound, values) ?? undefined)
      return this.#track(turn, bound.site.callSite)
    }
    const result = this.#call(bound, values)
    return isPromise(result) ? this.#watch(bound, result) : result
  }

  #call(bound: BoundCall, values: Value[]): unknown {
    if (this.stopped !== null) throw this.stopped
    const { budget } = this
    const cost = bound.cost ?? PLAIN_CALL
    let result: unknown
    let units: number
    try {
      units = budget.costOf(cost, values)
      if (!this.admits(bound.site.callSite, units)) return this.later(() => this.#call(bound, values))
      const given = bound.takes === 'engine' ? values : budget.leave(values, bound.takes)
      result = bound.scoped ? bound.call(budget, ...given) : bound.call(...given)
      if (cost.makes) budget.make(sizeOf(result, units))
    } catch (error) {
      throw this.callFailed(bound.site, error)
    }
    if (isPromise(result)) return this.#flight(bound, result)
    this.#flights?.answered(bound.call)
    if (typeof result === 'string' && result.length > budget.maxOutput) {
      throw outputLimit(bound.site.callSite, budget.maxOutput)
    }
    if (bound.isPlain) return this.#result(bound, result)
    return bound.returnsAsIs ? (result ?? null) : toResult(result, bound.returns)
  }

  /** What a function returned, as a value of the engine. @throws ForeignValueError */
  #result(bound: BoundCall, result: unknown): Value {
    const { takes, returns, lenient } = bound
    if (lenient) this.answers.add(result)
    return toResult(takes === 'plain' ? this.#look(result) : result, returns)
  }

  /** Counts a promise in while it is under way and words its failure. */
  #flight(bound: BoundCall, promise: PromiseLike<unknown>): Promise<Value> {
    this.#flights ??= new Flights(this.budget.limits.maxParallelCalls)
    const flights = this.#flights
    flights.begin()
    return Promise.resolve(promise).then(
      (value) => {
        flights.end()
        return this.#result(bound, value) ?? undefined
      },
      (error: unknown) => {
        flights.end()
        throw this.callFailed(bound.site, error)
      },
    )
  }

  #watch(bound: BoundCall, promise: PromiseLike<unknown>): Value {
    if (this.budget.mode !== 'synchronous')
      return this.#track(promise as Promise<unknown>, bound.site.callSite)
    ignoreFailure(promise)
    throw this.callFailed(bound.site, new Error('the function is asynchronous, the render is not'))
  }

  #track(promise: Promise<unknown>, site: Site | null = null): Pending {
    const pending = new Pending()
    pending.$site = site
    follow(pending, promise)
    this.pendings = this.pendings ?? []
    this.pendings.push(pending)
    return pending
  }

  /** Computes a value once all pending ones among its inputs are known. */
  defer(inputs: readonly Value[], compute: (settled: Value[]) => Value): Value {
    return this.deferRead(inputs, (settled) => compute(settled) ?? undefined)
  }

  /** The same for what may be nil, a value that is there. */
  deferRead(inputs: readonly Value[], compute: (settled: Value[]) => Value): Value {
    const work = async (): Promise<Value> => {
      const settled: Value[] = []
      for (const input of inputs) settled.push(await settle(input))
      return settle(compute(settled))
    }
    return this.#track(work())
  }

  /** The error of a function that failed, or of the limit it met; what suspends the run passes. */
  callFailed(site: Pick<CallSite, 'name' | 'callSite'>, error: unknown): TemplateError | typeof SUSPEND {
    if (error === SUSPEND || error instanceof TemplateFailureError) return error
    if (error instanceof LimitError || error instanceof RangeError) return this.limitMet(site.callSite, error)
    const message = `error calling ${site.name}: ${messageOf(error)}`
    return execError(site.callSite, message, { reason: 'function', cause: error })
  }

  // The border

  /** Foreign data as a value of the engine, with all that it holds; the value itself where there is none. */
  adopt(value: Value): Value {
    if (typeof value !== 'object' || value === null) return value
    return this.#options.isJson === true ? value : this.#look(value)
  }

  /** The same without what it holds. */
  adoptTop(value: Value): Value {
    if (typeof value !== 'object' || value === null || this.#options.isJson === true) return value
    return isOwn(value) ? value : this.inward.top(value)
  }

  /** What functions answered whose missing fields are nothing. */
  get answers(): Answers {
    const { rare } = this
    rare.answers ??= new Answers()
    return rare.answers
  }

  private get inward(): Inward {
    const { rare } = this
    if (rare.inward === null || rare.isShared) rare.inward = new Inward()
    return rare.inward
  }

  #look(value: Value): Value {
    if (typeof value !== 'object' || value === null) return value
    if (value instanceof Typed) return value
    if (isShallow(value)) {
      this.budget.enter(value.length + 1)
      return value
    }
    const { inward } = this
    const before = inward.looked
    try {
      const adopted = inward.deep(value)
      this.budget.enter(inward.looked - before)
      return adopted
    } catch (error) {
      if (!(error instanceof ForeignValueError)) throw error
      throw new ForeignValueError(error.foreign, pathTo(value, error.foreign))
    }
  }

  // Warnings

  /** What the render says of itself when it is over. */
  get warnings(): Warnings {
    const { rare } = this
    rare.warnings ??= new Warnings(this.#options.onWarning)
    return rare.warnings
  }

  /** How a printf at this place prints. */
  printingAt(site: Site, adaptsNumbers: boolean): RunPrinting {
    const { rare } = this
    if (rare.printing?.adaptsNumbers !== adaptsNumbers) {
      rare.printing = new RunPrinting(this, adaptsNumbers)
    }
    return rare.printing.at(site)
  }

  // Charging

  /**
   * Charges work before it is done.
   *
   * @returns false if it has to wait for the run's next turn: then it goes to `later`
   */
  admits(site: Site, units: number): boolean {
    const { budget } = this
    budget.work -= units
    if (budget.work >= 0) return true
    if (budget.mode === 'cooperative') return !budget.isSliceOver(units)
    this.clock(site, units)
    return true
  }

  /** Charges what a builtin made. */
  made(site: Site, value: Value): void {
    if (typeof value !== 'string' && !Array.isArray(value)) return
    if (value.length > this.budget.maxOutput) throw outputLimit(site, this.budget.maxOutput)
    this.budget.make(value.length)
  }

  /** Does work in the run's next turn; the end of the statement waits for it. */
  later(work: () => Value | Promise<Value>): Pending {
    const promise = this.budget.giveWay().then(() => {
      if (this.stopped !== null) throw this.stopped
      return settle(work())
    })
    this.#delayed ??= { parts: this.parts?.length ?? 0, pendings: this.pendings?.length ?? 0 }
    return this.#track(promise)
  }

  /** Waits for what was left for later, and all that depends on it, and puts its texts into the output. */
  async #settleDelayed(delayed: Delayed): Promise<void> {
    const pendings = this.pendings ?? []
    for (let i = delayed.pendings; i < pendings.length; i++) await this.need(pendings[i] as Pending)
    pendings.length = delayed.pendings
    if (pendings.length === 0) this.pendings = null
    const parts = this.parts ?? []
    for (let i = delayed.parts; i < parts.length; i++) {
      const part = parts[i] as string | Pending
      if (typeof part === 'string' || part.$state !== 'done' || typeof part.$value !== 'string') continue
      const text = formatPrinted(this, part.$value)
      parts[i] = text
      this.trace?.settled(part, text.length)
      this.flushed += text.length
    }
  }

  // Loops and templates

  /** What a value offers to range over. */
  range(value: Value, site: Site | null, variables: number): Cursor {
    const cursor = openCursor(value)
    const at = site ?? this.at
    if (cursor?.items != null)
      this.budget.work -= cursor.length * (cursor.keys === null ? ITEM_COST : KEY_COST)
    if (cursor === null) throw execError(at, `range can't iterate over ${formatArgument(value)}`)
    if (cursor.items === null && variables > 1) {
      throw execError(at, `can't use ${formatArgument(value)} to iterate over more than one variable`)
    }
    return cursor
  }

  /** One more step, or too much output. @returns the output to go on with */
  tick(output: string, site: Site): string {
    const { budget } = this
    this.checkOutput(output, site)
    if (budget.steps >= 0) return output
    if (!budget.renewSteps()) throw stepLimit(site, budget.limits.maxSteps)
    if (budget.mode !== 'cooperative') this.clock(site)
    return output.length > CHUNK_LENGTH ? this.#flush(output) : output
  }

  /** Sets a long text aside in one piece: as a chain of a million pieces it would keep the collector busy. */
  #flush(output: string): string {
    output.charCodeAt(0)
    this.parts = this.parts ?? []
    this.parts.push(output)
    this.flushed += output.length
    return ''
  }

  /** Adds a long text to the output, straight to its bytes if there is room. @returns the output to go on with */
  writeLong(output: string, long: LongText): string {
    if (this.sink === null || this.parts !== null) return output + long.text
    if (this.sink.write(output, long)) {
      this.flushed += output.length + long.text.length
      return ''
    }
    this.parts = [this.sink.text]
    this.sink = null
    return output + long.text
  }

  /** @throws TemplateError if the output is longer than it may be */
  checkOutput(output: string, site: Site): void {
    const { maxOutput } = this.budget
    if (this.flushed + output.length > maxOutput) throw outputLimit(site, maxOutput)
  }

  /** Charges a text that is printed, before it is escaped. */
  prints(output: string, text: string): void {
    if (text.length <= FREE_OUTPUT) return
    this.checkOutput(output, this.at)
    this.budget.work -= text.length
    if (this.budget.work < 0 && this.budget.mode !== 'cooperative') this.clock(this.at)
  }

  /** Lets others run if this run held the event loop long enough. */
  async pause(output: string, site: Site): Promise<string> {
    let rest = this.tick(output, site)
    const delayed = this.#delayed
    if (delayed !== null) {
      await this.#settleDelayed(delayed)
      this.#delayed = null
      rest = this.tick(rest, site)
    }
    this.clock(site)
    if (this.budget.isSliceOver()) {
      await this.budget.giveWay()
      if (this.stopped !== null) throw this.stopped
    }
    return rest
  }

  /** A look at the clock: the deadline, the signal, and how long this run holds the event loop. */
  clock(site: Site, units = 0): void {
    const { budget } = this
    budget.renew()
    if (budget.signal?.aborted) throw abortError(site, budget.signal.reason)
    if (budget.isOverdue) throw deadlineError(site)
    if (budget.mode === 'optimistic' && budget.isSliceOver(units)) throw SUSPEND
  }

  /** Enters a template called by name. */
  enter(site: Site, source: 'text' | PartialLookup | undefined, output: string): string {
    const { name } = site.node as TemplateNode
    const { failures } = site.program.rules
    if (source !== 'text' && (this.partials?.get(name) ?? source?.get(name)) === undefined) {
      throw failures.unknownTemplate(site, name)
    }
    const { budget } = this
    if (budget.depth >= this.#maxDepth) throw failures.tooDeep(site, this.#maxDepth)
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

  leavePartial(output: string, data: Value): string {
    this.budget.partialDepth--
    this.data = data
    return output
  }

  /** The whole data as a template gets it that is included with it. */
  included(template: Pick<Template, 'whenIncluded'>): Value {
    const { rare, data } = this
    if (rare.included?.template !== template || rare.included.data !== data) {
      rare.included = { template, data, filled: template.whenIncluded(data) }
    }
    return rare.included.filled
  }

  // Waiting

  /** Where the first call stands that is still under way. */
  waitingSite(): Site {
    return this.pendings?.find(({ $state }) => $state === 'waiting')?.$site ?? this.at
  }

  /** The value of a pending result; the first failure in the order of the text wins. */
  async need(pending: Pending): Promise<Value> {
    try {
      const value = await pending.$promise
      this.budget.sliceStart = performance.now()
      return value
    } catch (error) {
      throw await firstFailure(this, error)
    }
  }

  /** Notes where a pending result was made that is not printed there: its failure ends the output at this place. */
  mark(output: string, pending: Pending): string {
    const marker = new Pending()
    marker.$origin = pending
    follow(
      marker,
      pending.$promise.then(() => ''),
    )
    return this.hole(output, marker)
  }

  /** Leaves a value that is too large for one go to `printLarge`. */
  printSlowly(output: string, value: Value): string {
    if (this.budget.mode !== 'cooperative') {
      // To find out may have taken long.
      this.budget.sliceStart = performance.now()
      throw SUSPEND
    }
    this.large = value
    return output
  }

  /** Prints the value that was left, in time slices. */
  async printLarge(output: string): Promise<string> {
    const value = this.large
    this.large = null
    return output + (await this.printed(value, output.length))
  }

  /** The text of a value that may be large, made in time slices, after so much other output. */
  async printed(value: Value, before: number): Promise<string> {
    if (!this.rules.printsInPieces || !isLarge(value)) return formatPrinted(this, value)
    let text = ''
    let pieces = ''
    let count = 0
    for (const piece of piecesOf(value)) {
      pieces += piece
      if (++count % PIECES_PER_LOOK !== 0 && piece !== '') continue
      text += this.#inOnePiece(pieces)
      pieces = ''
      const { maxOutput } = this.budget
      if (this.flushed + before + text.length > maxOutput) throw outputLimit(this.at, maxOutput)
      await this.pause('', this.at)
    }
    return text + this.#inOnePiece(pieces)
  }

  /** Text as it is printed, joined: a chain of a million pieces would take long to join at the end. */
  #inOnePiece(pieces: string): string {
    const text = this.json ? escapeJson(pieces, this) : pieces
    text.charCodeAt(0)
    return text
  }

  /** Sets a pending result's place in the output. */
  hole(output: string, pending: Pending): string {
    this.parts = this.parts ?? []
    this.parts.push(output, pending)
    this.flushed += output.length
    return ''
  }

  // Failures

  /** The error of a limit that a helper met, or that the JavaScript engine set. */
  limitMet(site: Site, error: LimitError | RangeError): TemplateError {
    return limitMet(site, error, { depth: this.budget.depth, maxOutputBytes: this.budget.maxOutput })
  }

  /** What a generated function throws on: the error with the output so far. */
  caught(error: unknown, output: string): unknown {
    if (error === SUSPEND) return error
    const failure = this.#worded(error)
    if (!(failure instanceof TemplateFailureError) || failure.partial !== '') return failure
    if (failure === this.unjoined?.error) return failure
    const whole = withPartial(failure, this.textBefore(output))
    this.unjoined = { error: whole, output }
    return whole
  }

  /** A failure of the engine that has no place yet. */
  #worded(error: unknown): unknown {
    if (error instanceof LimitError || error instanceof RangeError) return this.limitMet(this.at, error)
    if (!(error instanceof ForeignValueError)) return error
    const path = pathTo(this.data, error.foreign)
    return execError(this.at, path === '' ? error.message : `${path}: ${error.message}`, { cause: error })
  }

  /** The output up to the first result that is still pending. */
  textBefore(output: string): string {
    return this.sink === null ? this.unwritten(output) : this.sink.text + this.unwritten(output)
  }

  /** The same without what is in the sink. */
  unwritten(output: string): string {
    if (this.parts === null) return output
    const pending = this.parts.findIndex((part) => typeof part !== 'string')
    return pending < 0 ? this.parts.join('') + output : this.parts.slice(0, pending).join('')
  }
}

/** What a result takes, in characters: its own, eight for an element, and by what was read for a dict. */
function sizeOf(result: unknown, units: number): number {
  if (typeof result === 'string') return result.length
  if (Array.isArray(result)) return result.length * CHARACTERS_PER_ELEMENT
  if (typeof result !== 'object' || result === null) return 0
  if (result instanceof Typed && Array.isArray(result.value)) {
    return result.value.length * CHARACTERS_PER_ELEMENT
  }
  return units / 2
}

function isPending(value: Value): boolean {
  return value instanceof Pending
}

function nilForMissing(value: Value): Value {
  return value ?? null
}

async function settle(value: Value): Promise<Value> {
  return value instanceof Pending ? await value.$promise : value
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
