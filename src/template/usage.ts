import type { Sliced } from '../util/slices/sliced.js'
import { type AnalyzedText, analyzedText } from './analyzed-text.js'
import type { Dialect } from './api.js'
import type { CommandNode, IdentifierNode, ListItem, ListNode, Node, Operand, PipeNode } from './ast.js'
import { BUILTINS } from './builtins.js'
import { isDefined, type Program } from './program.js'
import type { References, VariableReference } from './references.js'

/** A path of the render's data, and where in the text it is written. */
export interface UsedPath {
  readonly path: readonly string[]
  /** In UTF-16 code units. */
  readonly offset: number
}

/** The arguments of a function, as far as the text shows them. */
export type UsedArgument =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly path: readonly string[] }
  | { readonly kind: 'other' }

/** A call of a function; what comes through the pipe is its last argument. */
export interface UsedCall {
  readonly name: string
  readonly offset: number
  readonly arguments: readonly UsedArgument[]
  /** An action prints its result as it is. */
  readonly isPrinted: boolean
}

/** A template called by name, which the text does not define itself. */
export interface UsedPartial {
  readonly name: string
  readonly offset: number
}

/** What a template's text does with its data, for advice to its author. */
export interface TemplateUsage {
  readonly reads: readonly VariableReference[]
  /** Paths whose values are printed as they are: `{{.a.b}}`. */
  readonly prints: readonly UsedPath[]
  readonly calls: readonly UsedCall[]
  readonly partials: readonly UsedPartial[]
  /** False where the whole data, or all variables, are passed on: then everything may be read. */
  readonly isComplete: boolean
}

/**
 * Looks at a text that compiles: parses it, analyses it and goes through it, between which others may have a turn.
 *
 * @throws TemplateError when it does not compile
 */
export function* readTemplateUsage(source: string, dialect: Dialect): Sliced<TemplateUsage> {
  return yield* new UsageReader(yield* analyzedText(source, dialect)).read()
}

/** Of a list, before others may have a turn; an action has up to a thousand operands. */
const ITEMS_AT_A_STRETCH = 8

const OTHER = { kind: 'other' } as const

class UsageReader {
  readonly #program: Program
  readonly #paths: ReadonlyMap<Node, readonly string[]>
  readonly #references: References
  readonly #prints: UsedPath[] = []
  readonly #calls: UsedCall[] = []
  readonly #partials: UsedPartial[] = []
  #passesAll = false
  #seen = 0

  constructor({ program, paths, references }: AnalyzedText) {
    this.#program = program
    this.#paths = paths
    this.#references = references
  }

  *read(): Sliced<TemplateUsage> {
    for (const list of new Set([this.#program.root, ...this.#program.templates.values()]))
      yield* this.#list(list)
    const reads = this.#references.variables
    const readsAll = reads.some(({ path }) => path.length < 2 && isOwn(path))
    return {
      reads,
      prints: this.#prints,
      calls: this.#calls,
      partials: this.#partials,
      isComplete: !readsAll && !this.#passesAll,
    }
  }

  *#list({ nodes }: ListNode): Sliced<void> {
    for (const node of nodes) {
      this.#item(node)
      this.#seen += 1
      if (this.#seen % ITEMS_AT_A_STRETCH === 0) yield
      if (!('list' in node)) continue
      yield* this.#list(node.list)
      if (node.elseList !== null) yield* this.#list(node.elseList)
    }
  }

  #item(node: ListItem): void {
    if (node.kind === 'action') this.#action(node.pipe)
    if (node.kind === 'template') this.#template(node.name, node.position, node.pipe)
    if ('list' in node) this.#pipe(node.pipe)
  }

  #action(pipe: PipeNode): void {
    this.#pipe(pipe, true, pipe.declarations.length === 0)
    const [command, ...others] = pipe.commands
    const [operand, ...rest] = command?.operands ?? []
    if (operand === undefined || others.length + rest.length + pipe.declarations.length > 0) return
    const path = this.#paths.get(operand)
    if (path !== undefined) this.#prints.push({ path, offset: operand.position })
  }

  #template(name: string, offset: number, pipe: PipeNode | null): void {
    if (pipe !== null) this.#pipe(pipe, false)
    if (!isDefined(this.#program, name)) this.#partials.push({ name, offset })
  }

  #pipe({ commands }: PipeNode, isPassedOn = true, isPrinted = false): void {
    let piped: UsedArgument | undefined
    for (const command of commands) {
      this.#command(command, piped, isPassedOn, isPrinted && command === commands.at(-1))
      const [only, ...rest] = command.operands
      piped = only !== undefined && rest.length === 0 ? this.#argument(only) : OTHER
    }
  }

  #command(
    { operands }: CommandNode,
    piped: UsedArgument | undefined,
    isPassedOn: boolean,
    isPrinted: boolean,
  ): void {
    const [first, ...rest] = operands
    for (const operand of operands) this.#operand(operand, isPassedOn)
    for (const operand of rest) if (operand.kind === 'identifier') this.#call(operand, [], false)
    if (first?.kind !== 'identifier') return
    const given = rest.map((operand) => this.#argument(operand))
    this.#call(first, piped === undefined ? given : [...given, piped], isPrinted)
  }

  #call({ name, position }: IdentifierNode, given: readonly UsedArgument[], isPrinted: boolean): void {
    this.#calls.push({ name, offset: position, arguments: given, isPrinted })
  }

  #operand(operand: Operand, isPassedOn: boolean): void {
    if (operand.kind === 'pipe') this.#pipe(operand)
    if (operand.kind === 'chain') this.#chained(operand.operand)
    if (isPassedOn && this.#isAllData(operand)) this.#passesAll = true
  }

  /** What fields are read of: `code` in `code.refs` is a call. */
  #chained(operand: Operand): void {
    if (operand.kind === 'identifier') this.#call(operand, [], false)
    else this.#operand(operand, true)
  }

  #isAllData(operand: Operand): boolean {
    if (operand.kind === 'variable') return operand.name === '$' && operand.path.length === 0
    if (operand.kind !== 'dot') return false
    const path = this.#paths.get(operand)
    return path !== undefined && (path.length === 0 || (path.length === 1 && isOwn(path)))
  }

  #argument(operand: Operand): UsedArgument {
    if (operand.kind === 'string') return { kind: 'text', text: operand.text }
    const path = this.#paths.get(operand)
    return path === undefined ? OTHER : { kind: 'path', path }
  }
}

/** True for Go's builtin functions. */
export function isBuiltin(name: string): boolean {
  return BUILTINS.has(name)
}

function isOwn([first]: readonly string[]): boolean {
  return first === 'variables' || first === 'args'
}
