import type { CommandNode, IdentifierNode, Operand, PipeNode } from '../../ast.js'
import type { Frame } from '../frame.js'
import type { Scope } from '../scope.js'

/** A JavaScript expression, and whether `null`, Go's nil in an interface, can be its value. */
export interface Expression {
  readonly code: string
  readonly nullable: boolean
}

/** An expression whose value is never `null`. */
export function certain(code: string): Expression {
  return { code, nullable: false }
}

/** An expression whose value may be `null`. */
export function nullable(code: string): Expression {
  return { code, nullable: true }
}

/** The value as Go passes it on: nil is a missing value. */
export function passedOn({ code, nullable: isNullable }: Expression): string {
  return isNullable ? `${code}??undefined` : code
}

/** What comes after a piped value that is not used; the value is evaluated in any case. */
export function after(final: Expression | null, code: string): Expression {
  return certain(final === null ? code : `(${final.code},${code})`)
}

/** Evaluates a piped value first, as Go does, then what needs it. */
export function withFinal(
  final: Expression | null,
  frame: Frame,
  use: (local: string | null) => Expression,
): Expression {
  if (final === null) return use(null)
  return frame.withTemporary((local) => {
    const { code, nullable: isNullable } = use(local)
    return { code: `(${local}=${passedOn(final)},${code})`, nullable: isNullable }
  })
}

/** Turns pipelines and what is in them into JavaScript; the emitters of each kind of node call each other through it. */
export interface Emitter {
  readonly frame: Frame
  /** @param guarded in a truth position, where a missing value counts as false */
  operand(operand: Operand, scope: Scope, guarded: boolean): Expression
  /** A function that the text calls. */
  call(call: CallExpression): Expression
  /** The value of a pipeline as Go passes it on: nil is a missing value. */
  pipe(pipe: PipeNode, scope: Scope, guarded: boolean): string
  /** The value of a pipeline for a use in which nil and no value are the same. */
  rawPipe(pipe: PipeNode, scope: Scope, guarded: boolean): Expression
}

/** A function that the text calls. */
export interface CallExpression {
  readonly name: IdentifierNode
  /** Where a failure is reported: the whole command, or a single name. */
  readonly command: CommandNode | IdentifierNode
  readonly operands: readonly Operand[]
  /** What the pipe gives it after its operands. */
  readonly final: Expression | null
  readonly scope: Scope
}

/** A builtin's call, whose piped value is evaluated and held in a local. */
export interface BuiltinExpression extends Omit<CallExpression, 'final'> {
  readonly finalLocal: string | null
}
