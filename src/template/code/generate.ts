import type { ListNode, PipeNode, TemplateNode } from '../ast.js'
import type { SeenTexts } from '../fast/known-ascii.js'
import { isDefined } from '../program.js'
import { escapeJson } from '../run/escape-json.js'
import type { Run, RunTemplate } from '../run/run.js'
import { Constants } from './constants.js'
import type { CodeContext, Generation, SharedLocals } from './context.js'
import { modeOf } from './mode.js'
import { isLargeProgram, PartLinker } from './parts.js'
import { type Source, sourceOf } from './source.js'
import { straightFunction, templateFunction } from './statements/functions.js'

export interface GenerateOptions
  extends Pick<Generation, 'program' | 'functions' | 'partials' | 'pathOf' | 'traced' | 'json'> {
  readonly asynchronous: boolean
  /** Collects the static texts of JSON. */
  readonly texts: SeenTexts
  /** Long texts at the top of the main template go straight to where the render writes its bytes. */
  readonly direct: boolean
  /** Makes the function of a call of a template from outside the text. */
  readonly partial: (node: TemplateNode) => RunTemplate
}

/** A program as JavaScript: source without anything of the template in it, and the table it reads from. */
export interface GeneratedProgram {
  /** What makes the templates' functions. */
  readonly source: Source
  readonly constants: Constants
  /** The index of the main template's function. */
  readonly main: number
  /** Holds the templates' functions, and what is generated later. */
  readonly parts: PartLinker
}

/** Formats of one program that keep texts of small ints: a bound on the memory they take. */
const REMEMBERING_FORMATS = 8

/** Generates the functions of a program. */
export function generate(options: GenerateOptions): GeneratedProgram {
  const { program, partial } = options
  const indexes = new Map<string, number>()
  for (const name of program.templates.keys()) indexes.set(name, indexes.size)
  let outside = indexes.size
  const constants = new Constants()
  const generation = newGeneration(options, {
    targetOf: (name) => (isDefined(program, name) ? indexes.get(name) : undefined),
    partialIndex: (node) => {
      parts.functions[outside] = partial(node)
      return outside++
    },
  })
  const { parts } = generation
  const large = isLargeProgram(program)
  let functions = ''
  for (const [template, list] of program.templates) {
    const isMain = list === program.root
    const context = contextOf(generation, constants, template, list, large ? { count: 1 } : null)
    const code = templateFunction(context, list, { isMain, isDirect: isMain && options.direct && !large })
    functions += functions === '' ? code : `,\n${code}`
  }
  const source = sourceOf(constants, functions)
  return { source, constants, main: indexes.get(program.name) ?? 0, parts }
}

/** Generates a straight program as a function of nothing but the data, with the run that serves every render. */
export function generateStraight(options: GenerateOptions, run: Run): GeneratedProgram {
  const { program } = options
  const generation = newGeneration(options, { targetOf: () => undefined, partialIndex: () => 0 })
  const { parts } = generation
  const constants = new Constants()
  const context = contextOf(generation, constants, program.name, program.root, null)
  const body = straightFunction(context, program.root)
  const more = `const run=${constants.add(run)};`
  return { source: sourceOf(constants, body, more), constants, main: 0, parts }
}

/** How the statements of a program find other templates. */
type Targets = Pick<Generation, 'targetOf' | 'partialIndex'>

/** Member by member: spreading objects of this size takes as long as parsing a short template. */
function newGeneration(options: GenerateOptions, { targetOf, partialIndex }: Targets): Generation {
  const { program, functions, partials, pathOf, json, texts, traced, asynchronous } = options
  return {
    program,
    mode: modeOf(asynchronous),
    json,
    traced,
    functions,
    pathOf,
    remembering: { left: REMEMBERING_FORMATS },
    targetOf,
    partials,
    partialIndex,
    parts: new PartLinker(program, json ? (text) => escapeJson(text, texts) : null),
  }
}

function contextOf(
  generation: Generation,
  constants: Constants,
  template: string,
  list: ListNode,
  shared: SharedLocals | null,
): CodeContext {
  const { assigned, rangeAssigned } = assignedVariables(list)
  return { generation, template, constants, shared, assigned, rangeAssigned }
}

/** The variables a template assigns, and those among them that a range does. */
type AssignedVariables = Pick<CodeContext, 'assigned' | 'rangeAssigned'>

const NONE_ASSIGNED: AssignedVariables = { assigned: new Set(), rangeAssigned: new Set() }

function assignedVariables(list: ListNode): AssignedVariables {
  const names: string[] = []
  const rangeNames: string[] = []
  visitPipes(list, (pipe, isRange) => {
    if (!pipe.isAssign) return
    for (const { name } of pipe.declarations) {
      names.push(name)
      if (isRange) rangeNames.push(name)
    }
  })
  if (names.length === 0) return NONE_ASSIGNED
  return { assigned: new Set(names), rangeAssigned: new Set(rangeNames) }
}

function visitPipes(list: ListNode, visit: (pipe: PipeNode, isRange: boolean) => void): void {
  for (const node of list.nodes) {
    if (!('pipe' in node) || node.pipe === null) continue
    visitPipe(node.pipe, node.kind === 'range', visit)
    if ('list' in node) visitPipes(node.list, visit)
    if ('elseList' in node && node.elseList !== null) visitPipes(node.elseList, visit)
  }
}

function visitPipe(
  pipe: PipeNode,
  isRange: boolean,
  visit: (pipe: PipeNode, isRange: boolean) => void,
): void {
  visit(pipe, isRange)
  for (const command of pipe.commands) {
    for (const operand of command.operands) {
      const inner = operand.kind === 'chain' ? operand.operand : operand
      if (inner.kind === 'pipe') visitPipe(inner, false, visit)
    }
  }
}
