import type { CommandNode, IdentifierNode, Operand, PipeNode } from '../../ast.js'
import type { Frame } from '../frame.js'
import type { Scope } from '../scope.js'
import type { Expression } from './expression.js'

/** Turns pipelines and what is in them into JavaScript; the emitters of each kind of node call each other through it. */
export interface Emitter {
  readonly frame: Frame
  /** @param guarded in a truth position, where a missing value counts as false */
  operand(operand: Operand, scope: Scope, guarded: boolean): Expression
  /** A function that the text calls. */
  call(call: CallExpression): Expression
  /** The value of a pipeline as Go passes it on: nil is no value. */
  pipe(pipe: PipeNode, scope: Scope, guarded: boolean): string
  /** The value of a pipeline for a use in which nil and no value are the same. */
  rawPipe(pipe: PipeNode, scope: Scope, guarded: boolean): Expression
}

/** A function that the text calls. */
export interface CallExpression {
  readonly name: IdentifierNode
  /** Where a failure is reported: the whole command, or a name that stands alone. */
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
