import type { ListItem, ListNode, TextNode } from './ast.js'
import { parsed } from './dialects/dialects.js'
import { parseGo } from './dialects/go/parser.js'
import { printNode } from './dialects/go/printer.js'
import { GO_RULES } from './dialects/go/rules.js'
import { quote } from './format/quote.js'
import { DEFAULT_TEMPLATE_LIMITS } from './limits.js'
import type { Program } from './program.js'

/** A template with one thing changed. */
export interface Mutant {
  /** What was changed, such as `removed the line "Refs:"`. */
  readonly change: string
  /** Offset into the template's text. */
  readonly position: number
  readonly text: string
}

/** A part of a template that is rendered or not: the whole, the body of a branch or a loop, or its `else`. */
export interface Branch {
  /** As a template writes it: `{{if .a}}`, `{{else}} of {{if .a}}`; empty for the whole. */
  readonly name: string
  /** Offset into the template's text. */
  readonly position: number
  /** Offsets of its lines of text and of its actions, those of branches inside of it left out. */
  readonly places: readonly number[]
}

/**
 * Every template that differs from this one in one thing: a line of text is gone, an action prints nothing, an included
 * template is left out, the body of a branch or a loop is never or always taken.
 *
 * @throws TemplateError for a text that does not parse
 */
export function mutantsOf(source: string): readonly Mutant[] {
  const program = parse(source)
  return listsOf(program).flatMap((list) =>
    mutationsOf(list).map((one) => ({ ...one, text: printed(program, list, one.nodes) })),
  )
}

/**
 * The branches of a template, and a text that renders as it does, with a mark at the beginning of each branch.
 *
 * @param markOf the mark of a branch, by its position in the list
 * @throws TemplateError for a text that does not parse
 */
export function markedBranches(
  source: string,
  markOf: (index: number) => string,
): { readonly branches: readonly Branch[]; readonly text: string } {
  const program = parse(source)
  const branches: Branch[] = []
  const mark = (list: ListNode, name: string): ListNode => {
    const index = branches.push({ name, position: list.position, places: placesIn(list) }) - 1
    const text: TextNode = { kind: 'text', position: list.position, text: markOf(index) }
    return { ...list, nodes: [text, ...list.nodes.map(markInside)] }
  }
  const markInside = (node: ListItem): ListItem => {
    if (!('list' in node)) return node
    const head = `{{${node.kind} ${printNode(node.pipe)}}}`
    const list = mark(node.list, head)
    return {
      ...node,
      list,
      elseList: node.elseList === null ? null : mark(node.elseList, `{{else}} of ${head}`),
    }
  }
  const root = mark(program.root, '')
  const defined = definedIn(program).map(([name, list]) =>
    defineOf(name, mark(list, `{{define ${quote(name)}}}`)),
  )
  return { branches, text: printNode(root) + defined.join('') }
}

function parse(source: string): Program {
  const parsing = parseGo(source, {
    name: NAME,
    delimiters: ['{{', '}}'],
    hasFunction: () => true,
    maxParseDepth: DEFAULT_TEMPLATE_LIMITS.maxParseDepth,
    numbers: GO_RULES.numbers,
  })
  return parsed(parsing)
}

/** No template is called so. */
const NAME = '\u0000'

function definedIn({ templates }: Program): readonly (readonly [string, ListNode])[] {
  return [...templates].filter(([name]) => name !== NAME)
}

function defineOf(name: string, list: ListNode): string {
  return `{{define ${quote(name)}}}${printNode(list)}{{end}}`
}

/** The program's text with another list of nodes in place of one. */
function printed(program: Program, list: ListNode, nodes: readonly ListItem[]): string {
  const replaced = (each: ListNode): ListNode =>
    each === list ? { ...list, nodes: [...nodes] } : { ...each, nodes: each.nodes.map(replacedInside) }
  const replacedInside = (node: ListItem): ListItem =>
    'list' in node
      ? {
          ...node,
          list: replaced(node.list),
          elseList: node.elseList === null ? null : replaced(node.elseList),
        }
      : node
  const defined = definedIn(program).map(([name, each]) => defineOf(name, replaced(each)))
  return printNode(replaced(program.root)) + defined.join('')
}

/** Every list of nodes of a program, at any depth. */
function listsOf(program: Program): readonly ListNode[] {
  const inside = (list: ListNode): readonly ListNode[] => [
    list,
    ...list.nodes.flatMap((node) =>
      'list' in node ? [node.list, ...(node.elseList === null ? [] : [node.elseList])].flatMap(inside) : [],
    ),
  ]
  return [program.root, ...definedIn(program).map(([, list]) => list)].flatMap(inside)
}

interface Mutation extends Pick<Mutant, 'change' | 'position'> {
  readonly nodes: readonly ListItem[]
}

function mutationsOf({ nodes }: ListNode): readonly Mutation[] {
  return nodes.flatMap((node, index) =>
    changesOf(node).map(({ change, position, by }) => ({
      change,
      position,
      nodes: [...nodes.slice(0, index), ...by, ...nodes.slice(index + 1)],
    })),
  )
}

interface Change extends Pick<Mutant, 'change' | 'position'> {
  /** What takes the node's place. */
  readonly by: readonly ListItem[]
}

function changesOf(node: ListItem): readonly Change[] {
  const { position } = node
  switch (node.kind) {
    case 'text':
      return linesOf(node)
    case 'action':
      return node.pipe.declarations.length > 0
        ? []
        : [{ change: `removed ${printNode(node)}`, position, by: [] }]
    case 'template':
    case 'break':
    case 'continue':
      return [{ change: `removed ${printNode(node)}`, position, by: [] }]
    default: {
      const head = `{{${node.kind} ${printNode(node.pipe)}}}`
      const never = { change: `never took ${head}`, position, by: node.elseList?.nodes ?? [] }
      if (node.kind === 'if') return [never, { change: `always took ${head}`, position, by: node.list.nodes }]
      return node.elseList === null
        ? [never]
        : [never, { change: `removed the {{else}} of ${head}`, position, by: [{ ...node, elseList: null }] }]
    }
  }
}

/** Longer lines are cut in words. */
const MAX_SHOWN = 40

function linesOf(node: TextNode): readonly Change[] {
  return lineStarts(node.text).flatMap(({ start, line }) => {
    if (!/[\p{L}\p{N}]/u.test(line)) return []
    const shown = line.trim().length > MAX_SHOWN ? `${line.trim().slice(0, MAX_SHOWN)}…` : line.trim()
    const text = node.text.slice(0, start) + node.text.slice(start + line.length)
    const change = `removed the text ${JSON.stringify(shown)}`
    return [{ change, position: node.position + start, by: [{ ...node, text }] }]
  })
}

function lineStarts(text: string): readonly { readonly start: number; readonly line: string }[] {
  let start = 0
  return text.split('\n').map((line) => {
    const found = { start, line }
    start += line.length + 1
    return found
  })
}

function placesIn({ nodes }: ListNode): readonly number[] {
  return nodes.flatMap((node) => {
    if (node.kind !== 'text') return [node.position]
    return lineStarts(node.text)
      .filter(({ line }) => line.trim() !== '')
      .map(({ start }) => node.position + start)
  })
}
