import type { Sliced } from '../util/slices/sliced.js'
import { analyzedText } from './analyzed-text.js'
import type { Dialect } from './api.js'
import type { ListItem, ListNode, Node, Operand, PipeNode, TemplateNode } from './ast.js'
import { isDefined, type Program } from './program.js'

/** A part of a template's main text, in order: what requests do not change, or what they may. */
export interface PrefixPart {
  /** Offset into the template's text. */
  readonly position: number
  /** Characters that every render prints as they are; 0 of a part that is volatile, or that prints shared context. */
  readonly characters: number
  /** What makes it change from request to request, such as `.variables.code` or `now`; undefined if nothing does. */
  readonly volatile: string | undefined
}

/** What decides whether requests change a part of a text. */
export interface PrefixRules {
  /** Entries of the data that requests bring. */
  readonly entries: ReadonlySet<string>
  /** Whether this name is a tool's. */
  readonly isTool: (name: string) => boolean
  /** The parts of a template from outside the text; undefined for one that is not there. */
  readonly partial: (name: string) => Sliced<readonly PrefixPart[]> | undefined
}

/** The parts of templates from outside a text, by name. */
type Included = ReadonlyMap<string, readonly PrefixPart[]>

/** Functions that give something else each time. */
const VOLATILE_FUNCTIONS: ReadonlySet<string> = new Set(['now', 'ago'])

/**
 * Finds which parts of a template are the same in all renders and which ones requests change: a provider's prefix cache
 * keeps a prompt up to the first of these.
 *
 * @throws TemplateError for a text that does not parse
 */
export function* prefixParts(
  source: string,
  dialect: Dialect,
  rules: PrefixRules,
): Sliced<readonly PrefixPart[]> {
  const { program, paths, references } = yield* analyzedText(source, dialect)
  const included = new Map<string, readonly PrefixPart[]>()
  for (const { name } of references.partials) {
    if (included.has(name)) continue
    const reading = rules.partial(name)
    included.set(name, reading === undefined ? [] : yield* reading)
  }
  return yield* new PrefixReader({ program, paths, included, rules }).read()
}

/** A program whose parts are looked for, with all that it includes read. */
interface PrefixReading {
  readonly program: Program
  readonly paths: ReadonlyMap<Node, readonly string[]>
  readonly included: Included
  readonly rules: PrefixRules
}

/** Of the main text, before others may have a turn; an action has up to a thousand operands. */
const ITEMS_AT_A_STRETCH = 8

class PrefixReader {
  readonly #program: Program
  readonly #rules: PrefixRules
  readonly #paths: ReadonlyMap<Node, readonly string[]>
  readonly #included: Included
  /** Variables of the template that hold what requests bring. */
  readonly #variables = new Map<string, string>()
  readonly #active = new Set<string>()

  constructor({ program, paths, included, rules }: PrefixReading) {
    this.#program = program
    this.#paths = paths
    this.#included = included
    this.#rules = rules
  }

  *read(): Sliced<readonly PrefixPart[]> {
    const parts: PrefixPart[] = []
    for (const [index, node] of this.#program.root.nodes.entries()) {
      const part = this.#part(node)
      if (part !== undefined) parts.push(part)
      if (index % ITEMS_AT_A_STRETCH === ITEMS_AT_A_STRETCH - 1) yield
    }
    return parts
  }

  /** Undefined for what prints nothing. */
  #part(node: ListItem): PrefixPart | undefined {
    const { position } = node
    if (node.kind === 'text') return { position, characters: node.text.length, volatile: undefined }
    const volatile = this.#inItem(node)
    if (node.kind === 'action' && node.pipe.declarations.length > 0) return undefined
    const characters = volatile === undefined && node.kind === 'template' ? this.#charactersOf(node) : 0
    return { position, characters, volatile }
  }

  #charactersOf({ name }: TemplateNode): number {
    const parts = isDefined(this.#program, name) ? [] : (this.#included.get(name) ?? [])
    return parts.reduce((sum, { characters }) => sum + characters, 0)
  }

  #inList({ nodes }: ListNode): string | undefined {
    return firstOf(nodes, (node) => this.#inItem(node))
  }

  #inItem(node: ListItem): string | undefined {
    switch (node.kind) {
      case 'text':
      case 'break':
      case 'continue':
        return undefined
      case 'action':
        return this.#inAction(node.pipe)
      case 'template':
        return this.#inTemplate(node)
      default:
        return (
          this.#declared(node.pipe) ??
          this.#inList(node.list) ??
          (node.elseList === null ? undefined : this.#inList(node.elseList))
        )
    }
  }

  /** What only declares prints nothing: what is printed of it later is volatile. */
  #inAction(pipe: PipeNode): string | undefined {
    const found = this.#declared(pipe)
    return pipe.declarations.length > 0 ? undefined : found
  }

  #declared(pipe: PipeNode): string | undefined {
    const found = this.#inPipe(pipe)
    if (found !== undefined) for (const { name } of pipe.declarations) this.#variables.set(name, found)
    return found
  }

  #inTemplate({ name, pipe }: TemplateNode): string | undefined {
    const given = pipe === null ? undefined : this.#inPipe(pipe)
    if (given !== undefined) return given
    if (!isDefined(this.#program, name))
      return firstOf(this.#included.get(name) ?? [], ({ volatile }) => volatile)
    const list = this.#program.templates.get(name)
    if (list === undefined || this.#active.has(name)) return undefined
    this.#active.add(name)
    const found = this.#inList(list)
    this.#active.delete(name)
    return found
  }

  #inPipe({ commands }: PipeNode): string | undefined {
    return firstOf(commands, ({ operands }) => firstOf(operands, (operand) => this.#inOperand(operand)))
  }

  #inOperand(operand: Operand): string | undefined {
    switch (operand.kind) {
      case 'pipe':
        return this.#inPipe(operand)
      case 'chain':
        return this.#inOperand(operand.operand)
      case 'identifier':
        return VOLATILE_FUNCTIONS.has(operand.name) || this.#rules.isTool(operand.name)
          ? operand.name
          : undefined
      case 'variable': {
        const known = this.#variables.get(operand.name)
        return known ?? this.#inPath(operand)
      }
      default:
        return this.#inPath(operand)
    }
  }

  #inPath(operand: Operand): string | undefined {
    const path = this.#paths.get(operand)
    const [entry] = path ?? []
    return path !== undefined && entry !== undefined && this.#rules.entries.has(entry)
      ? `.${path.join('.')}`
      : undefined
  }
}

function firstOf<Item>(items: readonly Item[], look: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = look(item)
    if (found !== undefined) return found
  }
  return undefined
}
