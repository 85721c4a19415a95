// Gain: `bench:http`, the mixed prompt: its render 1.8 → 0.7 µs of the some 20 µs of a request.
// On in one line: `CompiledTemplate.fold`; the service asks for it once a prompt is rendered often.

import { randomUUID } from 'node:crypto'
import { at } from '../../util/at.js'
import type { FoldOptions, RenderOptions } from '../api.js'
import type { CommandNode, ListItem, ListNode, Operand, PipeNode, TextNode } from '../ast.js'
import { BUILTINS } from '../builtins.js'
import type { Program } from '../program.js'

/** What decides whether a part of a text depends on anything but fixed data. */
type FoldRules = Required<Pick<FoldOptions, 'open' | 'isPure'>>

/** What is known while walking through one item. */
interface View {
  /** Dot is the whole data: its fields may be open, and it cannot be read itself. */
  readonly dotIsData: boolean
  /** Variables the item itself declares. */
  readonly variables: Set<string>
}

/** Bounds of what is printed while folding: it happens inside a render, and the texts are kept. */
const FOLD_LIMITS = { maxSteps: 10_000, maxOutputBytes: 65_536 } as const

/** Renders items of the text with the fixed data: the raw text, or a promise of it. */
export type PrintItems = (items: readonly ListItem[], options: RenderOptions) => string | Promise<string>

/** The items of the main text with what prints the same in every render as text; undefined if nothing does. */
export function folded(
  program: Program,
  options: FoldOptions,
  print: PrintItems,
): readonly ListItem[] | undefined {
  if (!isFoldable(program)) return undefined
  const { open, isPure = noFunction } = options
  // A function that turns out to look at the clock leaves only the builtins.
  for (const isKnown of [isPure, noFunction]) {
    const fixed = fixedItems(program, { open, isPure: isKnown })
    const texts = fixed.length === 0 ? undefined : printed(fixed, options.missingKey, print)
    if (texts === undefined) continue
    const nodes = new Map(fixed.map((item, index) => [item, textNode(at(texts, index), item)]))
    return program.root.nodes.map((item) => nodes.get(item) ?? item)
  }
  return undefined
}

/** What each item prints; undefined if one fails, prints very much, waits, has a warning, or depends on the time. */
function printed(
  items: readonly ListItem[],
  missingKey: RenderOptions['missingKey'],
  print: PrintItems,
): readonly string[] | undefined {
  // Unguessable, so that nothing printed can be taken for the mark.
  const mark = randomUUID()
  // Set by expressions that depend on a render: the time it requests, and its observers.
  let needsRender = false
  const now = () => {
    needsRender = true
    return 0
  }
  const onWarning = () => {
    needsRender = true
  }
  const rest = new AbortController()
  const options = { now, onWarning, limits: FOLD_LIMITS, signal: rest.signal }
  try {
    const marked = items.flatMap((item) => [item, textNode(mark, item)])
    const text = print(marked, missingKey === undefined ? options : { ...options, missingKey })
    if (typeof text === 'string') return needsRender ? undefined : text.split(mark)
    // What would wait, or hold the event loop, is left to the renders.
    text.catch(() => {})
    rest.abort()
    return undefined
  } catch {
    return undefined
  }
}

function noFunction(): boolean {
  return false
}

/**
 * The items of the main text that print the same in every render, text aside: they read fixed entries only, and
 * neither declare variables for what follows nor call templates.
 */
function fixedItems({ root }: Program, rules: FoldRules): readonly ListItem[] {
  const folding = new Folding(rules)
  return root.nodes.filter((item) => {
    const variables = new Set<string>()
    return item.kind !== 'text' && folding.item(item, { dotIsData: true, variables }) && variables.size === 0
  })
}

/** True if the text may be folded at all: a main text that calls itself is also run with other data. */
function isFoldable({ rules, root, name, templates }: Program): boolean {
  return (
    rules.definesTemplates &&
    templates.get(name) === root &&
    ![...templates.values()].some(calls) &&
    !root.nodes.some(takesRootName)
  )

  function calls(list: ListNode): boolean {
    return list.nodes.some(
      (node) =>
        (node.kind === 'template' && node.name === name) ||
        ('list' in node && (calls(node.list) || (node.elseList !== null && calls(node.elseList)))),
    )
  }
}

/** True if a variable of the text is called `$`, which then is no longer the data. */
function takesRootName(node: ListItem): boolean {
  if ('pipe' in node && node.pipe !== null && namesRoot(node.pipe)) return true
  if (!('list' in node)) return false
  return node.list.nodes.some(takesRootName) || (node.elseList?.nodes.some(takesRootName) ?? false)
}

function namesRoot({ declarations, commands }: PipeNode): boolean {
  return (
    declarations.some(({ name }) => name === '$') ||
    commands.some(({ operands }) => operands.some(operandNamesRoot))
  )
}

function operandNamesRoot(operand: Operand): boolean {
  if (operand.kind === 'chain') return operandNamesRoot(operand.operand)
  return operand.kind === 'pipe' && namesRoot(operand)
}

/** The program with another main text. */
export function withRoot(program: Program, nodes: readonly ListItem[]): Program {
  const root: ListNode = { ...program.root, nodes: joinTexts(nodes) }
  return { ...program, root, templates: new Map([...program.templates, [program.name, root]]) }
}

/** An item of fixed text in the place of another. */
function textNode(text: string, { position }: ListItem): TextNode {
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

  /** `call` runs a function of the data. */
  #mayCall(name: string): boolean {
    return BUILTINS.has(name) ? name !== 'call' : this.#rules.isPure(name)
  }
}
