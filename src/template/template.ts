import type { Sliced } from '../util/slices/sliced.js'
import type {
  Dialect,
  FoldOptions,
  FunctionLookup,
  HostTemplate,
  PartialLookup,
  RenderOptions,
  Template,
  TemplateLimits,
  TracedText,
  TraceOptions,
} from './api.js'
import type { ListItem } from './ast.js'
import { type Included, includeTemplate } from './code/include.js'
import { ProgramCode } from './code/program-code.js'
import { printProgram } from './dialects/go/printer.js'
import { folded, withRoot } from './fast/fold.js'
import { jsonText } from './fast/known-ascii.js'
import { Spare } from './fast/spare.js'
import { Straight } from './fast/straight.js'
import { toBytes } from './format/byte-string.js'
import type { JsonText } from './json-text.js'
import type { Program } from './program.js'
import type { References } from './references.js'
import { execute, type Runnable, renderThrough, trace } from './run/driver.js'
import { renderInto } from './run/into-bytes.js'
import { type Defaults, Run } from './run/run.js'
import type { Site } from './site.js'
import { itemsUpToField } from './up-to-field.js'

/** What a compiled template is made of. */
export interface TemplateParts {
  readonly program: Program
  readonly functions: FunctionLookup
  readonly partials: PartialLookup | undefined
  readonly whenIncluded: ((data: unknown) => unknown) | undefined
  readonly limits: TemplateLimits
}

const NO_OPTIONS: RenderOptions = {}

/** A program with its code, and the ways to render it. */
export class CompiledTemplate implements HostTemplate, Runnable, Included {
  readonly start: Site
  readonly defaults: Defaults
  readonly code: ProgramCode
  readonly #parts: TemplateParts
  /** A run for renders without options. */
  readonly #spare: Spare<Run>
  readonly #straight: Straight

  constructor(parts: TemplateParts) {
    const { program, limits, partials, functions } = parts
    const { rules, name, root } = program
    this.#parts = parts
    this.start = { program, template: name, node: root }
    this.defaults = { limits, partials, rules }
    this.code = new ProgramCode({
      program,
      functions,
      partials,
      include: (node, way) =>
        includeTemplate({ site: { ...this.start, node }, name: node.name, partials, included }, way),
    })
    this.#spare = new Spare(() => this.#newRun(NO_OPTIONS))
    this.#straight = new Straight(
      () => this.code.straight(() => this.#newRun(NO_OPTIONS, true)),
      limits.maxOutputBytes,
    )
  }

  get name(): string {
    return this.#parts.program.name
  }

  get dialect(): Dialect {
    return this.#parts.program.rules.dialect
  }

  get source(): string {
    return this.#parts.program.source
  }

  get references(): References {
    return this.code.analyzed().references
  }

  analyzeInSteps(): Sliced<void> {
    return this.code.analyzeInSteps()
  }

  async render(data: unknown, options: RenderOptions = NO_OPTIONS): Promise<string> {
    return this.execute(data, options)
  }

  async renderBytes(data: unknown, options: RenderOptions = NO_OPTIONS): Promise<Uint8Array> {
    return execute(this, data, options, toBytes)
  }

  execute(data: unknown, options: RenderOptions = NO_OPTIONS): string | Promise<string> {
    return execute(this, data, options, this.#parts.program.rules.toText)
  }

  executeJson(data: unknown, options: RenderOptions): JsonText | Promise<JsonText> {
    const { toText } = this.#parts.program.rules
    return execute(this, data, options, (raw, run) => jsonText(raw, toText, run.output, this.code.texts))
  }

  renderSync(data: unknown, options: RenderOptions = NO_OPTIONS): string {
    const text = options === NO_OPTIONS ? this.#straight.render(data) : undefined
    return text ?? this.#renderSync(data, options)
  }

  renderInto(data: unknown, target: Uint8Array, options: RenderOptions = NO_OPTIONS): number {
    const isShort = options === NO_OPTIONS && this.code.direct === null
    const length = isShort ? this.#straight.renderInto(data, target) : -1
    return length >= 0 ? length : this.#renderInto(data, target, options)
  }

  async trace(data: unknown, options: TraceOptions = NO_OPTIONS): Promise<TracedText> {
    return trace(this, data, options)
  }

  fold(data: unknown, options: FoldOptions): HostTemplate {
    if (this.code.isLarge) return this
    const items = folded(this.#parts.program, options, (part, renderOptions) =>
      execute(this.#withItems(part), data, renderOptions, asItIs),
    )
    return items === undefined ? this : this.#withItems(items)
  }

  partial(name: string): HostTemplate | undefined {
    return included(this.#parts.partials?.get(name))
  }

  whenIncluded(data: unknown): unknown {
    return this.#parts.whenIncluded?.(data) ?? data
  }

  upToField(field: string): HostTemplate {
    return this.#withItems(itemsUpToField(this.#parts.program.root, field))
  }

  generatedSource(): string {
    return this.code.listing({ json: false, asynchronous: false })
  }

  toString(): string {
    const { program } = this.#parts
    return program.rules.definesTemplates ? printProgram(program) : program.source
  }

  /** The code of the short way to render; null if it cannot be taken. */
  straightSource(): string | null {
    return this.code.straightSource(() => this.#newRun(NO_OPTIONS, true))
  }

  #renderSync(data: unknown, options: RenderOptions): string {
    const run = this.#takeRun(options)
    const text = this.defaults.rules.toText(renderThrough(this, run, data))
    this.#giveBack(run, options)
    return text
  }

  #renderInto(data: unknown, target: Uint8Array, options: RenderOptions): number {
    const run = this.#takeRun(options)
    const length = renderInto(this, run, data, target)
    this.#giveBack(run, options)
    return length
  }

  #takeRun(options: RenderOptions): Run {
    return options === NO_OPTIONS ? this.#spare.take() : this.#newRun(options)
  }

  #giveBack(run: Run, options: RenderOptions): void {
    if (options !== NO_OPTIONS) return
    run.rest(this.start)
    this.#spare.giveBack(run)
  }

  #newRun(options: RenderOptions, isShared = false): Run {
    return new Run(this.start, this.defaults, options, 'synchronous', isShared)
  }

  #withItems(items: readonly ListItem[]): CompiledTemplate {
    return new CompiledTemplate({ ...this.#parts, program: withRoot(this.#parts.program, items) })
  }
}

function included(template: Template | undefined): CompiledTemplate | undefined {
  return template instanceof CompiledTemplate ? template : undefined
}

function asItIs(raw: string): string {
  return raw
}
