import type { Sliced } from '../util/slices/sliced.js'
import type {
  ChainNode,
  CommandNode,
  FieldNode,
  ListItem,
  ListNode,
  Node,
  Operand,
  PipeNode,
  RangeNode,
  VariableNode,
} from './ast.js'
import { BUILTINS, isTruthFunction } from './builtins.js'
import { LOOP_ELEMENT } from './loop-element.js'
import { Positions } from './position.js'
import { isDefined, type Program } from './program.js'
import type { NamedReference, PartialReference, References, VariableReference } from './references.js'

/** What a program reads and calls, and the path of each field in the render's data. */
export interface Analysis {
  readonly references: References
  /** Absolute paths of fields and variables, where they are known. */
  readonly paths: ReadonlyMap<Node, readonly string[]>
}

/** A path in the render's data; null for a value from elsewhere. */
type Path = readonly string[] | null

interface View {
  readonly dot: Path
  readonly variables: readonly Map<string, Path>[]
  readonly conditional: boolean
}

/** Operands that are looked at before others may have a turn. */
const STRETCH = 256

/** Finds references without running the program, following dot through `with`, `template` and plain variables. */
export function analyze(program: Program): Analysis {
  const analyzer = new Analyzer(program)
  analyzer.advance(Number.POSITIVE_INFINITY)
  return analyzer.analysis()
}

/** Analyzes a program in steps: it stops after each stretch of the program. */
export function* analyzeInSteps(program: Program): Sliced<Analysis> {
  const analyzer = new Analyzer(program)
  while (analyzer.advance(STRETCH)) yield
  return analyzer.analysis()
}

/** A list that is being looked at. The innermost is the last of a stack, so that the analysis may rest after each item. */
interface Visit {
  readonly nodes: readonly ListItem[]
  readonly view: View
  /** How many of the nodes were looked at. */
  seen: number
  /** The template that is no longer active once the list is over. */
  readonly template: string | undefined
}

class Analyzer {
  readonly #program: Program
  readonly #positions: Positions
  readonly #variables: VariableReference[] = []
  readonly #functions: NamedReference[] = []
  readonly #partials: PartialReference[] = []
  readonly #paths = new Map<Node, readonly string[]>()
  readonly #visited = new Set<string>()
  /** Templates whose bodies are being visited. */
  readonly #active = new Set<string>()
  readonly #visits: Visit[] = []
  /** Items and operands since the last rest. */
  #looked = 0

  constructor(program: Program) {
    this.#program = program
    this.#positions = new Positions(program.source)
    this.#active.add(program.name)
    this.#visit(program.root, { dot: [], variables: [dataVariables()], conditional: false })
  }

  /** Looks at some of the program; false once there is no more. @param operands after which it may rest */
  advance(operands: number): boolean {
    this.#looked = 0
    for (let visit = this.#visits.at(-1); visit !== undefined; visit = this.#visits.at(-1)) {
      this.#continue(visit)
      if (this.#looked >= operands) return true
    }
    return false
  }

  analysis(): Analysis {
    const references = {
      variables: this.#variables,
      functions: this.#functions,
      partials: this.#partials,
    }
    return { references, paths: this.#paths }
  }

  /** Looks at the next item of a list, which may open others inside of it. */
  #continue(visit: Visit): void {
    const node = visit.nodes[visit.seen]
    visit.seen += 1
    if (node !== undefined) {
      this.#looked += 1
      this.#item(node, visit.view)
      return
    }
    this.#visits.pop()
    if (visit.template !== undefined) this.#active.delete(visit.template)
  }

  /** The list is looked at next: of several, the one that is named last. */
  #visit({ nodes }: ListNode, view: View, template?: string): void {
    const inner = { ...view, variables: [...view.variables, new Map<string, Path>()] }
    this.#visits.push({ nodes, view: inner, seen: 0, template })
  }

  #item(node: ListItem, view: View): void {
    switch (node.kind) {
      case 'action':
        this.#pipe(node.pipe, view, false)
        return
      case 'if':
      case 'with':
        this.#branch(node.kind, node.pipe, node.list, node.elseList, view)
        return
      case 'range':
        this.#range(node, view)
        return
      case 'template':
        this.#template(node.name, node, node.pipe, view)
    }
  }

  #branch(kind: 'if' | 'with', pipe: PipeNode, list: ListNode, elseList: ListNode | null, view: View): void {
    const inner = conditional({ ...view, variables: [...view.variables, new Map<string, Path>()] })
    const path = this.#pipe(pipe, { ...inner, conditional: view.conditional }, true)
    if (elseList !== null) this.#visit(elseList, inner)
    this.#visit(list, kind === 'with' ? { ...inner, dot: path } : inner)
  }

  #range(node: RangeNode, view: View): void {
    const inner = conditional({ ...view, variables: [...view.variables, new Map<string, Path>()] })
    this.#pipe(node.pipe, { ...inner, conditional: view.conditional }, false)
    for (const { name } of node.pipe.declarations) bind(name, null, node.pipe.isAssign, inner)
    if (node.elseList !== null) this.#visit(node.elseList, inner)
    this.#visit(node.list, { ...inner, dot: null })
  }

  #template(name: string, node: Node, pipe: PipeNode | null, view: View): void {
    const dot = pipe === null ? null : this.#pipe(pipe, view, false)
    const list = isDefined(this.#program, name) ? this.#program.templates.get(name) : undefined
    if (list === undefined) {
      this.#partials.push({ ...this.#named(name, node, view), getsAll: dot?.length === 0 })
      return
    }
    // A template that calls itself goes ever deeper into the data: its paths are not known.
    const path = this.#active.has(name) ? null : dot
    const key = JSON.stringify([name, path])
    if (this.#visited.has(key)) return
    this.#visited.add(key)
    const isOutermost = !this.#active.has(name)
    this.#active.add(name)
    const inner = { dot: path, variables: [new Map([['$', path]])], conditional: true }
    this.#visit(list, inner, isOutermost ? name : undefined)
  }

  /** Visits a pipeline and returns the path of its value. */
  #pipe(pipe: PipeNode, view: View, guarded: boolean): Path {
    let path: Path = null
    for (const [i, command] of pipe.commands.entries()) {
      const next = pipe.commands[i + 1]
      path = this.#command(command, view, next === undefined ? guarded : this.#takesTruth(next))
    }
    if (pipe.commands.length !== 1) path = null
    for (const { name } of pipe.declarations) bind(name, path, pipe.isAssign, view)
    return path
  }

  #command(command: CommandNode, view: View, guarded: boolean): Path {
    const [first, ...rest] = command.operands
    if (first.kind !== 'identifier') {
      const path = this.#operand(first, view, guarded)
      for (const operand of rest) this.#operand(operand, view, false)
      return rest.length === 0 ? path : null
    }
    this.#function(first.name, first, view)
    const shortCircuits = first.name === 'and' || first.name === 'or'
    rest.forEach((operand, i) => {
      const operandView = shortCircuits && i > 0 ? conditional(view) : view
      this.#operand(operand, operandView, isTruthFunction(this.#program.rules, first.name))
    })
    return null
  }

  #operand(operand: Operand, view: View, guarded: boolean): Path {
    this.#looked += 1
    switch (operand.kind) {
      case 'dot':
        if (view.dot !== null) this.#paths.set(operand, view.dot)
        return view.dot
      case 'field':
        return this.#field(operand, view.dot, operand.path, view, guarded)
      case 'variable':
        return this.#field(operand, find(operand.name, view), operand.path, view, guarded)
      case 'pipe':
        return this.#pipe(operand, view, guarded)
      case 'identifier':
        this.#function(operand.name, operand, view)
        return null
      case 'chain':
        return this.#field(
          operand,
          this.#operand(operand.operand, view, guarded),
          operand.path,
          view,
          guarded,
        )
      default:
        return null
    }
  }

  #field(
    node: FieldNode | VariableNode | ChainNode,
    from: Path,
    path: readonly string[],
    view: View,
    guarded: boolean,
  ): Path {
    const isRead = path.length > 0 || (node.kind === 'variable' && node.name === LOOP_ELEMENT)
    if (from === null || !isRead) return from
    const full = from.length === 0 ? path : from.concat(path)
    this.#paths.set(node, full)
    const { line, column } = this.#positions.at(node.position)
    this.#variables.push({ path: full, conditional: view.conditional, guarded, line, column })
    return full
  }

  #takesTruth({ operands: [first] }: CommandNode): boolean {
    return first.kind === 'identifier' && isTruthFunction(this.#program.rules, first.name)
  }

  #function(name: string, node: Node, view: View): void {
    if (!BUILTINS.has(name)) this.#functions.push(this.#named(name, node, view))
  }

  #named(name: string, node: Node, view: View): NamedReference {
    const { line, column } = this.#positions.at(node.position)
    return { name, conditional: view.conditional, line, column }
  }
}

/** Variables that hold data before a template declares any. */
function dataVariables(): Map<string, Path> {
  return new Map([
    ['$', []],
    [LOOP_ELEMENT, ['item']],
  ])
}

function conditional(view: View): View {
  return { ...view, conditional: true }
}

function find(name: string, view: View): Path {
  return view.variables.findLast((scope) => scope.has(name))?.get(name) ?? null
}

/** Declares a variable in the innermost scope; one that is assigned may then hold either value. */
function bind(name: string, path: Path, isAssign: boolean, view: View): void {
  const scope = isAssign ? view.variables.findLast((variables) => variables.has(name)) : view.variables.at(-1)
  scope?.set(name, isAssign ? null : path)
}
