import type { FunctionLookup, PartialLookup } from '../api.js'
import {
  isDefined,
  type ListNode,
  type Node,
  type PipeNode,
  type Program,
  type TemplateNode,
} from '../ast.js'
import { escapeJson } from '../run/escape-json.js'
import { HELPER_NAMES } from '../run/helpers.js'
import type { RunTemplate } from '../run/run.js'
import { Constants, constantNames } from './constants.js'
import { isLarge, PartLinker } from './parts.js'
import { type StatementContext, Statements } from './statements.js'

export interface GenerateOptions {
  readonly program: Program
  readonly functions: FunctionLookup
  readonly partials: PartialLookup | undefined
  /** Absolute paths of fields where analysis knows them. */
  readonly paths: ReadonlyMap<Node, readonly string[]>
  readonly asynchronous: boolean
  readonly json: boolean
  /** Long texts at the top of the main template go straight to where the render writes its bytes. */
  readonly direct: boolean
  /** Makes the function of a call of a template from outside the text. */
  readonly partial: (node: TemplateNode) => RunTemplate
}

/** A program as JavaScript: source without anything of the template in it, and the table it reads from. */
export interface Generated {
  /** The body of a function of `c`, the constants, and `h`, the helpers, that returns the templates' functions. */
  readonly source: string
  readonly constants: Constants
  /** The index of the main template's function. */
  readonly main: number
  /** Holds the templates' functions, and what is generated later. */
  readonly parts: PartLinker
}

/** Formats of one program that keep texts of small ints: a bound on the memory they take. */
const REMEMBERING_FORMATS = 8

/** Generates the functions of a program. */
export function generate(options: GenerateOptions): Generated {
  const { program, json, partial } = options
  const constants = new Constants()
  const parts = new PartLinker(program, json ? (text) => escapeJson(text, { isAscii: true }) : null)
  const indexes = new Map([...program.templates.keys()].map((name, index) => [name, index]))
  let outside = indexes.size
  const shared = {
    ...options,
    constants,
    parts,
    remembering: { left: REMEMBERING_FORMATS },
    targetOf: (name: string) => (isDefined(program, name) ? indexes.get(name) : undefined),
    partialIndex: (node: TemplateNode) => {
      parts.functions[outside] = partial(node)
      return outside++
    },
  }
  const large = isLarge(program)
  const functions = [...program.templates].map(([template, list]) => {
    const isMain = list === program.root
    const locals = large ? { count: 0 } : null
    const context: StatementContext = { ...shared, template, shared: locals, ...assignedVariables(list) }
    return new Statements(context).function(list, isMain, isMain && options.direct && !large)
  })
  const source = `"use strict";const{${HELPER_NAMES}}=h${constantNames(constants)};const f=h.f;return[${functions.join(',\n')}]`
  return { source, constants, main: indexes.get(program.name) ?? 0, parts }
}

/** The variables a template assigns, and those among them that a range does. */
function assignedVariables(list: ListNode): { assigned: Set<string>; rangeAssigned: Set<string> } {
  const assigned = new Set<string>()
  const rangeAssigned = new Set<string>()
  visitPipes(list, (pipe, isRange) => {
    if (!pipe.isAssign) return
    for (const { name } of pipe.declarations) {
      assigned.add(name)
      if (isRange) rangeAssigned.add(name)
    }
  })
  return { assigned, rangeAssigned }
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
