import { at } from '../../util/at.js'
import type { Sliced } from '../../util/slices/sliced.js'
import { type Analysis, analyze, analyzeInSteps } from '../analysis.js'
import type { FunctionLookup, PartialLookup } from '../api.js'
import type { Node, TemplateNode } from '../ast.js'
import { isLongText } from '../fast/byte-sink.js'
import type { SeenTexts } from '../fast/known-ascii.js'
import { isStraight } from '../fast/straight.js'
import { isEngineLimit } from '../limit-errors.js'
import type { Program } from '../program.js'
import type { Run, RunTemplate } from '../run/run.js'
import type { Steps } from '../run/steps.js'
import { syntaxLimit } from '../syntax-error.js'
import type { Value } from '../value.js'
import { type GeneratedProgram, generate, generateStraight } from './generate.js'
import { listing } from './listing.js'
import { isLargeProgram } from './parts.js'
import { sourceText } from './source.js'

/** What code is generated of. */
export interface CodeParts {
  readonly program: Program
  readonly functions: FunctionLookup
  readonly partials: PartialLookup | undefined
  /** Makes what runs a template from outside the text, in each of the ways to run a program. */
  readonly include: (node: TemplateNode, way: Way) => RunTemplate
}

/** A way to run a program. */
export interface Way {
  /** The output is the inside of a JSON string. */
  readonly json: boolean
  readonly asynchronous: boolean
}

/** What else code is made for; nothing but once. */
interface Purpose {
  /** Long texts go straight to where the render writes its bytes. */
  readonly direct?: boolean
  /** It reports the sources of its output. */
  readonly traced?: boolean
}

/** A program that renders this often is worth code of its own. */
const SHARED_RENDERS = 100

const TEXT: Way = { json: false, asynchronous: false }
const TEXT_WAITING: Way = { json: false, asynchronous: true }

/** A program with its generated code, which is made when it is first needed. */
export class ProgramCode {
  readonly program: Program
  /** The static texts of all that was made for JSON so far: whatever was rendered is among them. */
  readonly texts: SeenTexts = { isAscii: true }
  readonly #parts: CodeParts
  #analysis: Analysis | null = null
  /** By way: text and JSON, without and with waiting. */
  readonly #units: (Unit | undefined)[] = [undefined, undefined, undefined, undefined]
  /** Null if the program has no long texts. */
  #direct: Unit | null | undefined

  constructor(parts: CodeParts) {
    this.program = parts.program
    this.#parts = parts
  }

  /** Found when it is first asked for. */
  analyzed(): Analysis {
    this.#analysis ??= analyze(this.program)
    return this.#analysis
  }

  /** Analyzes the program in steps: it stops after each stretch of the program. */
  *analyzeInSteps(): Sliced<void> {
    this.#analysis ??= yield* analyzeInSteps(this.program)
  }

  /** Whether the program is compiled in parts. */
  get isLarge(): boolean {
    return isLargeProgram(this.program)
  }

  /** The code for one way to run the program. @throws TemplateError if it is nested too deeply */
  unit(json: boolean, asynchronous: boolean): Unit {
    const index = (json ? 1 : 0) + (asynchronous ? 2 : 0)
    const unit = this.#units[index] ?? this.#build({ json, asynchronous }, {})
    this.#units[index] = unit
    return unit
  }

  /** The code whose long texts go straight to the bytes of an output; null without such texts. */
  get direct(): Unit | null {
    if (this.#direct !== undefined) return this.#direct
    const hasLongText = this.program.root.nodes.some((node) => node.kind === 'text' && isLongText(node.text))
    this.#direct = hasLongText && !this.isLarge ? this.#build(TEXT, { direct: true }) : null
    return this.#direct
  }

  /** Code for one render that is traced. */
  traced(): RunTemplate {
    return this.#within(() => {
      const { source, main, parts, constants } = this.#generate(TEXT_WAITING, { traced: true })
      parts.compileOnce(source, constants)
      return at(parts.functions, main)
    })
  }

  /** A straight program as a function of its data, with the run that serves all renders; null for others. */
  straight(makeRun: () => Run): ((data: Value) => string) | null {
    if (!this.#isStraight) return null
    const { source, parts, constants } = this.#generateStraight(makeRun())
    return parts.compileApart(source, constants)
  }

  /** The code as people read it. */
  listing(way: Way): string {
    const { source, constants } = this.#generate(way, {})
    return listing(source, constants, this.program.templates.keys())
  }

  /** The code as it is compiled, which holds nothing of the template but its shape. */
  source(way: Way, purpose: Purpose = {}): string {
    return sourceText(this.#generate(way, purpose).source)
  }

  /** The source of a straight program's function; null for others. */
  straightSource(makeRun: () => Run): string | null {
    return this.#isStraight ? sourceText(this.#generateStraight(makeRun()).source) : null
  }

  get #isStraight(): boolean {
    return isStraight(this.program) && !this.isLarge
  }

  #build(way: Way, purpose: Purpose): Unit {
    return this.#within(() => {
      const { source, main, parts, constants } = this.#generate(way, purpose)
      const compileAgain = parts.compile(source, constants)
      return new Unit(at(parts.functions, main), () => {
        compileAgain()
        return at(parts.functions, main)
      })
    })
  }

  /** Generates and compiles, unless that exhausts the stack of the code generator, or of JavaScript's own parser. */
  #within<T>(build: () => T): T {
    try {
      return build()
    } catch (error) {
      if (!isEngineLimit(error)) throw error
      const { source, name } = this.program
      throw syntaxLimit('depth', 'template nested too deeply', { source, name, line: 1, offset: 0 })
    }
  }

  #generate(way: Way, { direct = false, traced = false }: Purpose): GeneratedProgram {
    return generate(this.#optionsFor(way, direct, traced))
  }

  #generateStraight(run: Run): GeneratedProgram {
    return generateStraight(this.#optionsFor(TEXT, false, false), run)
  }

  #optionsFor(way: Way, direct: boolean, traced: boolean) {
    const { program, functions, partials, include } = this.#parts
    const partial = (node: TemplateNode) => include(node, way)
    const { texts } = this
    const pathOf = (node: Node) => this.analyzed().paths.get(node)
    return { program, functions, partials, pathOf, ...way, texts, direct, traced, partial }
  }
}

/** A program's code for one way to run it: shared with others of its shape, until it runs often. */
export class Unit {
  #main: RunTemplate
  #left = SHARED_RENDERS
  readonly #separate: () => RunTemplate

  /** @param separate makes code for this program alone, if others have the same */
  constructor(main: RunTemplate, separate: () => RunTemplate) {
    this.#main = main
    this.#separate = separate
  }

  /** What runs the program inside another's run. */
  get main(): RunTemplate {
    return this.#main
  }

  /** Runs the program from its start. */
  render(run: Run, data: Value): string | Steps<string> {
    if (this.#left > 0 && --this.#left === 0) this.#main = this.#separate()
    run.data = data
    return this.#main(run, '', data ?? undefined)
  }
}
