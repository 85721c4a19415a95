import { TemplateError } from '../../api.js'
import type { CommandNode, ListItem, ListNode, Operand, PipeNode, VariableNode } from '../../ast.js'
import { hintFor } from '../../hints.js'
import { MAX_BLOCK_DEPTH } from '../../limits.js'
import { LOOP_ELEMENT } from '../../loop-element.js'
import { frameAt, positionAt } from '../../position.js'
import type { Parsing } from '../parsing.js'
import { HandlebarsSyntaxError } from './lexer.js'
import { type HandlebarsNode, HandlebarsParser } from './parser.js'
import { HANDLEBARS_RULES } from './rules.js'

export interface HandlebarsParseOptions {
  /** Shown in messages. */
  readonly name: string
  readonly maxParseDepth: number
}

/**
 * Begins to parse the Handlebars subset into the tree that Go templates have: `{{a.b}}` is `{{.a.b}}`, `{{#each a}}` is
 * `{{range $item := .a}}` in which outer variables are read through `$`, `{{> p}}` is `{{template "p" $}}`.
 *
 * @throws TemplateError with the place of the mistake, while it is parsed
 */
export function parseHandlebarsProgram(
  source: string,
  { name, maxParseDepth }: HandlebarsParseOptions,
): Parsing {
  const parser = new HandlebarsParser(source, Math.min(MAX_BLOCK_DEPTH, maxParseDepth))
  const attempt = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      throw error instanceof HandlebarsSyntaxError ? toTemplateError(error, source, name) : error
    }
  }
  return {
    advance: (characters) => attempt(() => parser.advance(characters)),
    program() {
      const root = toList(
        attempt(() => parser.finish()),
        0,
        false,
      )
      return { name, source, rules: HANDLEBARS_RULES, root, templates: new Map([[name, root]]) }
    },
  }
}

function toTemplateError(error: HandlebarsSyntaxError, source: string, name: string): TemplateError {
  const { line, column } = positionAt(source, error.offset)
  const { message } = error
  const hint = hintFor({ dialect: 'handlebars', message, text: '', before: '', suggestions: [] })
  return new TemplateError('template_syntax', `template: ${name}:${line}:${column}: ${error.message}`, {
    stage: 'parse',
    reason: 'syntax',
    line,
    column,
    template: name,
    details: { line, column, frame: frameAt(source, error.offset), ...(hint === undefined ? {} : { hint }) },
  })
}

function toList(nodes: readonly HandlebarsNode[], position: number, inLoop: boolean): ListNode {
  return { kind: 'list', position, nodes: nodes.map((node) => toItem(node, inLoop)) }
}

function toItem(node: HandlebarsNode, inLoop: boolean): ListItem {
  const position = node.offset
  switch (node.kind) {
    case 'text':
      return { kind: 'text', position, text: node.text }
    case 'variable':
      return { kind: 'action', position, pipe: toPipe(position, [toOperand(node.path, position, inLoop)]) }
    case 'if': {
      const pipe = toPipe(position, [toOperand(node.path, position, inLoop)])
      const list = toList(node.body, position, inLoop)
      const elseList = node.otherwise.length === 0 ? null : toList(node.otherwise, position, inLoop)
      return { kind: 'if', position, pipe, list, elseList }
    }
    case 'each': {
      const pipe = toPipe(position, [toOperand(node.path, position, inLoop)], [item(position)])
      return { kind: 'range', position, pipe, list: toList(node.body, position, true), elseList: null }
    }
    case 'partial':
      return { kind: 'template', position, name: node.name, pipe: toPipe(position, [root(position)]) }
  }
}

function toOperand(path: readonly string[], position: number, inLoop: boolean): Operand {
  if (path[0] === 'item') return item(position, path.slice(1))
  return inLoop ? root(position, path) : { kind: 'field', position, path }
}

function root(position: number, path: readonly string[] = []): VariableNode {
  return { kind: 'variable', position, name: '$', path }
}

function item(position: number, path: readonly string[] = []): VariableNode {
  return { kind: 'variable', position, name: LOOP_ELEMENT, path }
}

function toPipe(
  position: number,
  operands: CommandNode['operands'],
  declarations: VariableNode[] = [],
): PipeNode {
  return {
    kind: 'pipe',
    position,
    declarations,
    isAssign: false,
    commands: [{ kind: 'command', position, operands }],
  }
}
