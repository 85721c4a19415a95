import type { FunctionLookup, PartialLookup } from '../api.js'
import {
  isDefined,
  type ListNode,
  type Node,
  type PipeNode,
  type Program,
  type TemplateNode,
} from '../ast.js'
import { HELPER_NAMES } from '../run/helpers.js'
import { Constants } from './constants.js'
import { type StatementContext, Statements } from './statements.js'

export interface GenerateOptions {
  readonly program: Program
  readonly functions: FunctionLookup
  readonly partials: PartialLookup | undefined
  /** Absolute paths of fields where analysis knows them. */
  readonly paths: ReadonlyMap<Node, readonly string[]>
  readonly asynchronous: boolean
  readonly json: boolean
}

/** A program as JavaScript: source without anything of the template in it, and the table it reads from. */
export interface Generated {
  /** The body of a function of `c`, the constants, and `h`, the helpers, that returns the templates' functions. */
  readonly source: string
  readonly constants: Constants
  /** The index of the main template's function. */
  readonly main: number
  /** The calls of templates from outside the text, in the order of their functions, which follow the text's. */
  readonly outside: readonly TemplateNode[]
}

/** Generates the functions of a program. */
export function generate(options: GenerateOptions): Generated {
  const constants = new Constants()
  const names = [...options.program.templates.keys()]
  const outside: TemplateNode[] = []
  const shared = {
    ...options,
    constants,
    targetOf: (name: string) => (isDefined(options.program, name) ? names.indexOf(name) : undefined),
    partialIndex: (node: TemplateNode) => names.length + outside.push(node) - 1,
  }
  const functions = [...options.program.templates].map(([template, list]) => {
    const isMain = list === options.program.root
    const context: StatementContext = { ...shared, template, ...assignedVariables(list) }
    return new Statements(context).function(list, isMain)
  })
  const source = `"use strict";const{${HELPER_NAMES}}=h${constantNames(constants)};const f=[${functions.join(',\n')}];return f`
  return { source, constants, main: names.indexOf(options.program.name), outside }
}

function constantNames(constants: Constants): string {
  let text = ''
  for (let i = 0; i < constants.size; i++) text += `,k${i}=c[${i}]`
  return text
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
