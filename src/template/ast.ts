import type { Value } from './value.js'

/**
 * The tree of a template. Its nodes are Go's (`text/template/parse`), so that messages can show a node as Go
 * prints it, but nothing in it is Go's alone: a dialect is a parser that builds this tree and its `Rules`.
 *
 * `position` is an offset in UTF-16 code units into the source of the tree's `Program`.
 */
export type Node = ListItem | ListNode | Operand | PipeNode | CommandNode

/** The items of a list: text and actions. */
export type ListItem =
  | TextNode
  | ActionNode
  | IfNode
  | RangeNode
  | WithNode
  | TemplateNode
  | BreakNode
  | ContinueNode

/** The operands of a command: the first is called or read, the others are its arguments. */
export type Operand =
  | DotNode
  | NilNode
  | BoolNode
  | NumberNode
  | StringNode
  | FieldNode
  | VariableNode
  | IdentifierNode
  | ChainNode
  | PipeNode

export interface ListNode {
  readonly kind: 'list'
  readonly position: number
  readonly nodes: ListItem[]
}

export interface TextNode {
  readonly kind: 'text'
  readonly position: number
  readonly text: string
}

/** `{{pipeline}}`: prints the value unless the pipeline declares or assigns. */
export interface ActionNode {
  readonly kind: 'action'
  readonly position: number
  readonly pipe: PipeNode
}

interface BranchNode {
  readonly position: number
  readonly pipe: PipeNode
  readonly list: ListNode
  readonly elseList: ListNode | null
}

export interface IfNode extends BranchNode {
  readonly kind: 'if'
}

export interface RangeNode extends BranchNode {
  readonly kind: 'range'
}

export interface WithNode extends BranchNode {
  readonly kind: 'with'
}

/** `{{template "name" pipeline}}`; without a pipeline the called template's dot is missing. */
export interface TemplateNode {
  readonly kind: 'template'
  readonly position: number
  readonly name: string
  readonly pipe: PipeNode | null
}

export interface BreakNode {
  readonly kind: 'break'
  readonly position: number
}

export interface ContinueNode {
  readonly kind: 'continue'
  readonly position: number
}

/** `$x, $y := command | command`. */
export interface PipeNode {
  readonly kind: 'pipe'
  readonly position: number
  readonly declarations: VariableNode[]
  /** The variables are assigned, not declared. */
  isAssign: boolean
  commands: CommandNode[]
}

export interface CommandNode {
  readonly kind: 'command'
  readonly position: number
  readonly operands: readonly [Operand, ...Operand[]]
}

export interface DotNode {
  readonly kind: 'dot'
  readonly position: number
}

export interface NilNode {
  readonly kind: 'nil'
  readonly position: number
}

export interface BoolNode {
  readonly kind: 'bool'
  readonly position: number
  readonly value: boolean
}

/** A constant with every type its value can take, as Go's ideal constants. */
export interface NumberNode extends NumberConstant {
  readonly kind: 'number'
  readonly position: number
}

export interface NumberConstant {
  /** As written. */
  readonly text: string
  /** The value as int64, number when safe; null if it is not one. */
  readonly int: number | bigint | null
  /** True if the value is an unsigned integer. */
  readonly isUint: boolean
  readonly float: number | null
  /** The value where no type is asked for; null if it overflows int. */
  readonly ideal: Value
}

export interface StringNode {
  readonly kind: 'string'
  readonly position: number
  /** As written, with its quotes. */
  readonly quoted: string
  readonly text: string
}

/** `.a.b` */
export interface FieldNode {
  readonly kind: 'field'
  readonly position: number
  readonly path: readonly string[]
}

/** `$x.a.b`: the name with its dollar sign, then fields. */
export interface VariableNode {
  readonly kind: 'variable'
  readonly position: number
  readonly name: string
  readonly path: readonly string[]
}

/** A function's name. */
export interface IdentifierNode {
  readonly kind: 'identifier'
  readonly position: number
  readonly name: string
}

/** `(pipeline).a.b` */
export interface ChainNode {
  readonly kind: 'chain'
  readonly position: number
  readonly operand: Operand
  readonly path: readonly string[]
}

/** True if the list holds nothing but white space, as Go decides whether a definition may be replaced. */
export function isEmptyList(list: ListNode): boolean {
  return list.nodes.every((node) => node.kind === 'text' && GO_SPACE_ONLY.test(node.text))
}

/** unicode.IsSpace, which bytes.TrimSpace trims. */
const GO_SPACE_ONLY = /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/
