import type { CommandNode, ListItem, ListNode, Operand, PipeNode, TextNode } from './ast.js'
import { BUILTINS } from './builtins.js'
import type { Program } from './program.js'

/** What decides whether a part of a text depends on anything but fixed data. */
export interface FoldRules {
  /** The entries of the data that differ from render to render. */
  readonly open: ReadonlySet<string>
  /** True for a function beside the builtins whose result follows from its arguments. */
  readonly isPure: (name: string) => boolean
}

/** What is known while walking through one item. */
interface View {
  /** Dot is the whole data: its fields may be open, and it cannot be read itself. */
  readonly dotIsData: boolean
  /** Variables the item itself declares. */
  readonly variables: Set<string>
}

/**
 * The items of the main text that print the same in every render, text aside: they read fixed entries only, and
 * neither declare variables for what follows nor call templates.
 */
export function fixedItems({ root }: Program, rules: FoldRules): readonly ListItem[] {
  const folding = new Folding(rules)
  return root.nodes.filter((item) => {
    const variables = new Set<string>()
    return item.kind !== 'text' && folding.item(item, { dotIsData: true, variables }) && variables.size === 0
  })
}

/** True if the text may be folded at all: a main text that calls itself is also run with other data. */
export function isFoldable({ rules, root, name, templates }: Program): boolean {
  return rules.definesTemplates && templates.get(name) === root && ![...templates.values()].some(calls)

  function calls(list: ListNode): boolean {
    return list.nodes.some(
      (node) =>
        (node.kind === 'template' && node.name === name) ||
        ('list' in node && (calls(node.list) || (node.elseList !== null && calls(node.elseList)))),
    )
  }
}

/** The program with another main text. */
export function withRoot(program: Program, nodes: readonly ListItem[]): Program {
  const root: ListNode = { ...program.root, nodes: joinTexts(nodes) }
  return { ...program, root, templates: new Map([...program.templates, [program.name, root]]) }
}

/** An item of fixed text in the place of another. */
export function textNode(text: string, { position }: ListItem): TextNode {
  return { kind: 'text', position, text }
}

function joinTexts(nodes: readonly ListItem[]): ListItem[] {
  const joined: ListItem[] = []
  for (const node of nodes) {
    const last = joined.at(-1)
    if (node.kind === 'text' && last?.kind === 'text')
      joined.splice(-1, 1, textNode(last.text + node.text, last))
    else joined.push(node)
  }
  return joined
}

class Folding {
  readonly #rules: FoldRules

  constructor(rules: FoldRules) {
    this.#rules = rules
  }

  item(item: ListItem, view: View): boolean {
    switch (item.kind) {
      case 'action':
        return this.#pipe(item.pipe, view)
      case 'if':
      case 'with':
      case 'range': {
        const inner = { ...view, variables: new Set(view.variables) }
        if (!this.#pipe(item.pipe, inner)) return false
        const body = item.kind === 'if' ? inner : { ...inner, dotIsData: false }
        return this.#list(item.list, body) && (item.elseList === null || this.#list(item.elseList, inner))
      }
      case 'template':
        return false
      default:
        return true
    }
  }

  #list({ nodes }: ListNode, view: View): boolean {
    const inner = { ...view, variables: new Set(view.variables) }
    return nodes.every((node) => this.item(node, inner))
  }

  #pipe({ commands, declarations, isAssign }: PipeNode, view: View): boolean {
    if (!commands.every((command) => this.#command(command, view))) return false
    if (isAssign) return declarations.every(({ name }) => view.variables.has(name))
    for (const { name } of declarations) view.variables.add(name)
    return true
  }

  #command({ operands }: CommandNode, view: View): boolean {
    return operands.every((operand) => this.#operand(operand, view))
  }

  #operand(operand: Operand, view: View): boolean {
    switch (operand.kind) {
      case 'dot':
        return !view.dotIsData
      case 'field':
        return !view.dotIsData || this.#isFixed(operand.path)
      case 'variable':
        return view.variables.has(operand.name) || (operand.name === '$' && this.#isFixed(operand.path))
      case 'identifier':
        return this.#mayCall(operand.name)
      case 'chain':
        return this.#operand(operand.operand, view)
      case 'pipe':
        return this.#pipe(operand, view)
      default:
        return true
    }
  }

  #isFixed([entry]: readonly string[]): boolean {
    return entry !== undefined && !this.#rules.open.has(entry)
  }

  /** `call` runs a function that stands in the data. */
  #mayCall(name: string): boolean {
    return BUILTINS.has(name) ? name !== 'call' : this.#rules.isPure(name)
  }
}
