import { randomUUID } from 'node:crypto'
import { at } from '../util/at.js'
import { type Analysis, analyze } from './analysis.js'
import {
  type Dialect,
  type FoldOptions,
  type FunctionLookup,
  type JsonText,
  type PartialLookup,
  type References,
  type RenderOptions,
  type Template,
  TemplateError,
  type TemplateLimits,
  type TracedText,
  type TraceOptions,
} from './api.js'
import { hasAsciiTexts, type ListItem, type Node, type TemplateNode } from './ast.js'
import { type Generated, type GenerateOptions, generate, generateStraight } from './code/generate.js'
import { listing } from './code/listing.js'
import { isLarge } from './code/parts.js'
import { textOf } from './code/source.js'
import { withItem } from './dialects/handlebars/with-item.js'
import { ByteSink, isLongText } from './fast/byte-sink.js'
import { isStraight } from './fast/straight.js'
import { fixedItems, isFoldable, textNode, withRoot } from './fold.js'
import { finishBytes, toBytes, writeBytes } from './format/byte-string.js'
import { outputLimit, targetLimit } from './limit-errors.js'
import { printProgram } from './printer.js'
import type { Program } from './program.js'
import { firstFailure } from './run/failure-order.js'
import { SUSPEND } from './run/pending.js'
import { printInSlices } from './run/print-slowly.js'
import { type Defaults, Run, type RunTemplate } from './run/run.js'
import { Trace } from './run/trace.js'
import { waitFor } from './run/wait.js'
import { execError, type Site, withPartial } from './site.js'
import { syntaxLimit } from './syntax-error.js'
import type { Value } from './value.js'

/** What a compiled template is made of. */
export interface TemplateParts {
  readonly program: Program
  readonly dialect: Dialect
  readonly functions: FunctionLookup
  readonly partials: PartialLookup | undefined
  readonly whenIncluded: ((data: unknown) => unknown) | undefined
  readonly limits: TemplateLimits
}

/** A program's functions for one way to run it. */
interface Unit {
  main: RunTemplate
  /** Renders until the program gets code of its own, where it shares code with others of its shape. */
  shared: number
  readonly separate: () => RunTemplate
  /** Of JSON output: true if all static text is ASCII. */
  readonly hasAsciiTexts: boolean
}

/** A program that renders this often is worth code of its own. */
const SHARED_RENDERS = 100

/** How a finished run's raw output becomes what the caller asked for. */
type Finish<T> = (text: string, run: Run) => T

const NO_OPTIONS: RenderOptions = {}
const ENCODER = new TextEncoder()
/** At hand: to look it up on strings of every kind takes longer than the check itself. */
const { isWellFormed } = String.prototype

/** Bounds of what is printed while folding: it happens inside a render, and the texts are kept. */
const FOLD_LIMITS = { maxSteps: 10_000, maxOutputBytes: 65_536 } as const

/** A program with its generated code, which is made when it is first needed. */
export class CompiledTemplate implements Template {
  readonly dialect: Dialect
  readonly #parts: TemplateParts
  readonly #start: Site
  readonly #defaults: Defaults
  /** An output of so many UTF-16 units is within the limit whatever its characters: the short way for short ones. */
  readonly #safeLength: number
  #analysis: Analysis | null = null
  /** The last run without options: it serves again, as making one costs as much as a short prompt. */
  #idle: Run | null = null
  /** By mode: text and JSON, without and with waiting. */
  readonly #units: (Unit | undefined)[] = [undefined, undefined, undefined, undefined]
  /** The program with long texts that go straight to the bytes of an output; null if it has none. */
  #direct: Unit | null | undefined
  /** A straight program as a function of its data, once it has code of its own. */
  #straight: ((data: Value) => string) | null = null

  constructor(parts: TemplateParts) {
    const { program, limits, partials } = parts
    this.#parts = parts
    this.dialect = parts.dialect
    this.#safeLength = Math.floor(limits.maxOutputBytes / 3)
    this.#start = { program, template: program.name, node: program.root }
    this.#defaults = {
      limits,
      partials,
      rules: program.rules,
    }
  }

  get name(): string {
    return this.#parts.program.name
  }

  get source(): string {
    return this.#parts.program.source
  }

  get references(): References {
    return this.#analyzed().references
  }

  async render(data: unknown, options: RenderOptions = {}): Promise<string> {
    return this.#execute(data, options, this.#parts.program.rules.toText)
  }

  async renderBytes(data: unknown, options: RenderOptions = {}): Promise<Uint8Array> {
    return this.#execute(data, options, toBytes)
  }

  renderSync(data: unknown, options: RenderOptions = NO_OPTIONS): string {
    const straight = this.#straight
    if (straight === null || options !== NO_OPTIONS) return this.#renderSync(data, options)
    const output = straight(data ?? undefined)
    // Compared with true, as the engine does not know that it is a boolean.
    const isFinal = output.length <= this.#safeLength && isWellFormed.call(output) === true
    return isFinal ? output : this.#renderSync(data, options)
  }

  #renderSync(data: unknown, options: RenderOptions): string {
    const run = this.#takeRun(options)
    const output = this.#output(run, data)
    const text = this.#parts.program.rules.toText(
      this.#checked(run, run.output.parts === null ? output : run.output.before(output)),
    )
    this.#giveBack(run, options)
    return text
  }

  renderInto(data: unknown, target: Uint8Array, options: RenderOptions = NO_OPTIONS): number {
    const straight = this.#straight
    if (straight === null || this.#direct !== null || options !== NO_OPTIONS) {
      return this.#renderInto(data, target, options)
    }
    const output = straight(data ?? undefined)
    const { read, written } = ENCODER.encodeInto(output, target)
    // Anything but ASCII takes more bytes than characters.
    const isAscii = read === written && read === output.length
    const length = isAscii ? written : finishBytes(output, target, read, written)
    const isFinal = length >= 0 && output.length <= this.#safeLength
    return isFinal ? length : this.#renderInto(data, target, options)
  }

  #renderInto(data: unknown, target: Uint8Array, options: RenderOptions): number {
    const direct = this.#direct === undefined ? this.#makeDirect() : this.#direct
    if (direct !== null && options.output !== 'json') return this.#renderLong(direct, data, target, options)
    const run = this.#takeRun(options)
    const output = this.#output(run, data)
    const length = this.#finish(run, output, target, writeBytes(output, target))
    this.#giveBack(run, options)
    return length
  }

  /** Ends a run whose last output was written if it fits: then it has a length. */
  #finish(run: Run, output: string, target: Uint8Array, written: number): number {
    const text = run.output.parts === null ? output : run.output.before(output)
    const length = run.output.parts === null ? written : writeBytes(text, target)
    if (length < 0 || length > run.budget.maxOutput) throw outputTooLong(run, text, target)
    return length
  }

  /** The same for a template with long texts, which are copied as bytes. */
  #renderLong(direct: Unit, data: unknown, target: Uint8Array, options: RenderOptions): number {
    const run = this.#takeRun(options)
    const sink = new ByteSink(target)
    run.output.sink = sink
    const output = this.#run(direct, run, data)
    const length = run.output.sink === null ? -1 : sink.finish(run.output.unwritten(output))
    if (length < 0 || length > run.budget.maxOutput)
      throw outputTooLong(run, run.output.before(output), target)
    run.output.reset()
    this.#giveBack(run, options)
    return length
  }

  get #isStraight(): boolean {
    return isStraight(this.#parts.program) && !isLarge(this.#parts.program)
  }

  /** Gives a program code of its own. */
  #separate(unit: Unit): void {
    unit.main = unit.separate()
    if (unit !== this.#units[0] || !this.#isStraight) return
    const { source, parts, constants } = this.#generateStraight()
    this.#straight = parts.compileApart(source, constants)
  }

  #makeDirect(): Unit | null {
    const { program } = this.#parts
    const hasLongText = program.root.nodes.some((node) => node.kind === 'text' && isLongText(node.text))
    this.#direct = hasLongText && !isLarge(program) ? this.#build(false, false, true) : null
    return this.#direct
  }

  /** A run for one render, which others may nest in: a function may render the same template meanwhile. */
  #takeRun(options: RenderOptions): Run {
    const idle = this.#idle
    if (options !== NO_OPTIONS || idle === null) {
      return new Run(this.#start, this.#defaults, options, 'synchronous')
    }
    this.#idle = null
    return idle
  }

  #giveBack(run: Run, options: RenderOptions): void {
    if (options !== NO_OPTIONS) return
    run.rest(this.#start)
    this.#idle = run
  }

  execute(data: unknown, options: RenderOptions = {}): string | Promise<string> {
    return this.#execute(data, options, this.#parts.program.rules.toText)
  }

  executeJson(data: unknown, options: RenderOptions = {}): JsonText | Promise<JsonText> {
    const inJson: RenderOptions = options.output === 'json' ? options : { ...options, output: 'json' }
    return this.#execute(data, inJson, (raw, run) => ({
      json: this.#parts.program.rules.toText(raw),
      isAscii: run.output.isAscii && this.#unit(true, false).hasAsciiTexts,
    }))
  }

  fold(data: unknown, { open, missingKey, isPure = noFunction }: FoldOptions): Template {
    const { program } = this.#parts
    if (!isFoldable(program) || isLarge(program)) return this
    // A function that turns out to look at the clock leaves only the builtins.
    for (const isKnown of [isPure, noFunction]) {
      const fixed = fixedItems(program, { open, isPure: isKnown })
      const texts = fixed.length === 0 ? undefined : this.#print(fixed, data, missingKey)
      if (texts === undefined) continue
      const printed = new Map(fixed.map((item, index) => [item, textNode(texts[index] as string, item)]))
      return this.#withItems(program.root.nodes.map((item) => printed.get(item) ?? item))
    }
    return this
  }

  /** What each item prints; undefined if one fails, prints very much, has a warning, or depends on the time. */
  #print(
    items: readonly ListItem[],
    data: unknown,
    missingKey: RenderOptions['missingKey'],
  ): readonly string[] | undefined {
    // Unguessable, so that nothing printed can be taken for the mark.
    const mark = randomUUID()
    const template = this.#withItems(items.flatMap((item) => [item, textNode(mark, item)]))
    // Set by what belongs to a render: the time it asks for, and what it is told of.
    let needsRender = false
    const now = () => {
      needsRender = true
      return 0
    }
    const onWarning = () => {
      needsRender = true
    }
    const options = {
      now,
      onWarning,
      limits: FOLD_LIMITS,
      ...(missingKey === undefined ? {} : { missingKey }),
    }
    try {
      // Optimistic: what would hold the event loop, or wait, is left to the renders.
      const run = new Run(template.#start, template.#defaults, options, 'optimistic')
      const text = run.output.before(template.#output(run, data))
      return needsRender || run.calls.pendings !== null ? undefined : text.split(mark)
    } catch {
      return undefined
    }
  }

  #withItems(items: readonly ListItem[]): CompiledTemplate {
    return new CompiledTemplate({ ...this.#parts, program: withRoot(this.#parts.program, items) })
  }

  partial(name: string): Template | undefined {
    return this.#parts.partials?.get(name)
  }

  whenIncluded(data: unknown): unknown {
    return this.#parts.whenIncluded?.(data) ?? data
  }

  toString(): string {
    return this.#parts.program.rules.definesTemplates ? printProgram(this.#parts.program) : this.source
  }

  /** The function that runs this template inside another's run. */
  mainFor({ trace }: Run, json: boolean, asynchronous: boolean): RunTemplate {
    if (trace !== null) return trace.included(this, () => this.#tracedMain())
    return this.#unit(json, asynchronous).main
  }

  /** Code for one render that is traced. */
  #tracedMain(): RunTemplate {
    return this.#within(() => {
      const { source, main, parts, constants } = this.#generate(false, true, false, true)
      parts.compileOnce(source, constants)
      return at(parts.functions, main)
    })
  }

  generatedSource(json = false, asynchronous = false): string {
    const { source, constants } = this.#generate(json, asynchronous, false)
    return listing(source, constants, this.#parts.program.templates.keys())
  }

  /** The generated JavaScript as it is compiled, which holds nothing of the template but its shape. */
  compiledSource(json = false, asynchronous = false, direct = false): string {
    return textOf(this.#generate(json, asynchronous, direct).source)
  }

  /** The same of the function of a straight template; null for others. */
  straightSource(): string | null {
    return this.#isStraight ? textOf(this.#generateStraight().source) : null
  }

  /** The output of a run that does not wait; the engine may refuse a long expression only when it first runs. */
  #output(run: Run, data: unknown): string {
    return this.#run(this.#units[run.output.json ? 1 : 0] ?? this.#unit(run.output.json, false), run, data)
  }

  #run(unit: Unit, run: Run, data: unknown): string {
    try {
      run.data = data
      if (unit.shared > 0 && --unit.shared === 0) this.#separate(unit)
      return unit.main(run, '', data ?? undefined) as string
    } catch (error) {
      throw this.#failed(run, error)
    }
  }

  #failed(run: Run, error: unknown): unknown {
    return error instanceof RangeError ? run.budget.limitMet(this.#start, error) : error
  }

  #execute<T>(data: unknown, options: RenderOptions, finish: Finish<T>): T | Promise<T> {
    const run = new Run(this.#start, this.#defaults, options, 'optimistic')
    let output: string
    try {
      output = this.#output(run, data)
    } catch (error) {
      if (error === SUSPEND) return waitFor(run, () => this.#cooperate(run, data, finish))
      if (run.calls.pendings === null) throw error
      run.onlyWait()
      return waitFor(run, async () => {
        throw await firstFailure(run, error)
      })
    }
    if (run.calls.pendings === null) return finish(this.#checked(run, run.output.before(output)), run)
    run.onlyWait()
    return waitFor(run, () => this.#joinLater(run, output, finish))
  }

  async trace(data: unknown, options: TraceOptions = {}): Promise<TracedText> {
    const trace = new Trace<RunTemplate>(this.#parts.program, options)
    const run = new Run(this.#start, this.#defaults, { ...options, output: 'text' }, 'cooperative')
    run.trace = trace
    const raw = await waitFor(run, () => this.#cooperate(run, data, (raw) => raw))
    return {
      text: this.#parts.program.rules.toText(raw),
      spans: await trace.spans(raw, () => run.budget.giveWay()),
    }
  }

  /** Runs again from the start, now waiting where that is needed and letting others run in between. */
  async #cooperate<T>(run: Run, data: unknown, finish: Finish<T>): Promise<T> {
    if (run.budget.sliceStart !== 0) await run.budget.giveWay()
    run.restart(this.#start)
    run.data = data
    try {
      const { trace } = run
      const main = trace === null ? this.#unit(run.output.json, true).main : this.#tracedMain()
      const output = await main(run, '', data ?? undefined)
      return finish(await this.#join(run, output), run)
    } catch (error) {
      throw await firstFailure(run, error)
    }
  }

  async #joinLater<T>(run: Run, output: string, finish: Finish<T>): Promise<T> {
    try {
      return finish(await this.#join(run, output), run)
    } catch (error) {
      throw await firstFailure(run, error)
    }
  }

  /** Puts the results that were pending into their places. */
  async #join(run: Run, output: string): Promise<string> {
    let text = ''
    try {
      for (const part of [...(run.output.parts ?? []), output]) {
        const piece =
          typeof part === 'string' ? part : await printInSlices(run, await part.$promise, text.length)
        if (typeof part !== 'string') run.trace?.settled(part, piece.length)
        text += piece
        if (text.length > run.budget.maxOutput) throw outputLimit(run.at, run.budget.maxOutput)
      }
      for (const pending of run.calls.pendings ?? []) await pending.$promise
    } catch (error) {
      throw error instanceof TemplateError && error.partial === '' ? withPartial(error, text) : error
    }
    return this.#checked(run, text)
  }

  #checked(run: Run, text: string): string {
    const { maxOutput } = run.budget
    if (!run.budget.writes(text.length)) throw withPartial(outputLimit(run.at, maxOutput), text)
    if (text.length * 3 <= maxOutput || (text.length <= maxOutput && Buffer.byteLength(text) <= maxOutput))
      return text
    throw withPartial(outputLimit(run.at, maxOutput), text)
  }

  #analyzed(): Analysis {
    this.#analysis ??= analyze(this.#parts.program)
    return this.#analysis
  }

  #unit(json: boolean, asynchronous: boolean): Unit {
    const index = (json ? 1 : 0) + (asynchronous ? 2 : 0)
    const unit = this.#units[index] ?? this.#build(json, asynchronous, false)
    this.#units[index] = unit
    return unit
  }

  #build(json: boolean, asynchronous: boolean, direct: boolean): Unit {
    return this.#within(() => {
      const { source, main, parts, constants } = this.#generate(json, asynchronous, direct)
      const compileAgain = parts.compile(source, constants)
      const separate = () => {
        compileAgain()
        return at(parts.functions, main)
      }
      return {
        main: at(parts.functions, main),
        shared: SHARED_RENDERS,
        separate,
        hasAsciiTexts: json && [...this.#parts.program.templates.values()].every(hasAsciiTexts),
      }
    })
  }

  /** Generates and compiles, unless that exhausts the stack of the code generator, or of JavaScript's own parser. */
  #within<T>(build: () => T): T {
    try {
      return build()
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const place = { source: this.source, name: this.name, line: 1, offset: 0 }
      throw syntaxLimit('depth', 'template nested too deeply', place)
    }
  }

  #generate(json: boolean, asynchronous: boolean, direct: boolean, traced = false): Generated {
    return generate(this.#generateOptions(json, asynchronous, direct, traced))
  }

  #generateStraight(): Generated {
    const run = new Run(this.#start, this.#defaults, NO_OPTIONS, 'synchronous', true)
    return generateStraight(this.#generateOptions(false, false, false), run)
  }

  #generateOptions(json: boolean, asynchronous: boolean, direct: boolean, traced = false): GenerateOptions {
    const { program, functions, partials } = this.#parts
    const partial = (node: TemplateNode) => this.#partial(node, json, asynchronous)
    const pathOf = (node: Node) => this.#analyzed().paths.get(node)
    return { program, functions, partials, pathOf, json, asynchronous, direct, traced, partial }
  }

  /** Runs a template from outside the text; the run's own partials come first. */
  #partial(node: TemplateNode, json: boolean, asynchronous: boolean): RunTemplate {
    const site: Site = { program: this.#parts.program, template: this.name, node }
    return (run, output, dot, element) => {
      const template = run.partials?.get(node.name) ?? this.#parts.partials?.get(node.name)
      if (template instanceof CompiledTemplate) {
        const outer = run.data
        const whole = dot === outer ? run.border.fill(template, dot) : dot
        const data =
          !template.#parts.program.rules.hasLoopElement && element !== undefined
            ? withItem(whole, element)
            : whole
        if (json) run.output.isAscii &&= template.#unit(true, false).hasAsciiTexts
        run.enterPartial(site, data)
        const text = template.mainFor(run, json, asynchronous)(run, output, data, element)
        if (typeof text === 'string') return run.leavePartial(text, outer)
        return text.then((all) => run.leavePartial(all, outer))
      }
      throw execError(site, `template "${node.name}" is not one of this engine`)
    }
  }
}

function noFunction(): boolean {
  return false
}

/** The error of an output that is longer than the limit, or than what it is written to. */
function outputTooLong(run: Run, output: string, target: Uint8Array): TemplateError {
  const { length } = toBytes(output)
  const error =
    length > run.budget.maxOutput
      ? outputLimit(run.at, run.budget.maxOutput)
      : targetLimit(run.at, target.length, length)
  return withPartial(error, output)
}
