import type { CommandNode, Operand, PipeNode, VariableNode } from '../../ast.js'
import { printNode } from '../../printer.js'
import type { Frame } from '../frame.js'
import type { Scope } from '../scope.js'
import type { Emitter } from './emitter.js'
import { after, certain, type Expression } from './expression.js'
import { emitMethod } from './method.js'
import { lastBefore, type Visited } from './places.js'

/** A command, where it stands in its pipeline, and what the command before it gives. */
export interface CommandExpression {
  readonly command: CommandNode
  readonly pipe: PipeNode
  readonly index: number
  readonly scope: Scope
  readonly guarded: boolean
  readonly final: Expression | null
}

/** A command: a call, a method, or a value that stands alone. */
export function emitCommand(emitter: Emitter, given: CommandExpression): Expression {
  const { command, scope, guarded, final } = given
  const [first, ...operands] = command.operands
  if (first.kind === 'identifier') return emitter.call({ name: first, command, operands, scope, final })
  const hasArguments = operands.length > 0 || final !== null
  if (hasArguments) return withArguments(emitter, given, first, operands)
  if (first.kind === 'nil') return certain(emitter.frame.failure(first, 'nil is not a command'))
  return emitter.operand(first, scope, guarded)
}

/** What no function is and gets arguments all the same: a method, or Go's complaint. */
function withArguments(
  emitter: Emitter,
  { pipe, index, scope, final }: CommandExpression,
  first: Operand,
  operands: readonly Operand[],
): Expression {
  const { frame } = emitter
  switch (first.kind) {
    case 'field':
    case 'chain':
      return emitMethod(emitter, { node: first, operands, scope, final })
    case 'variable':
      if (first.path.length > 0) return emitMethod(emitter, { node: first, operands, scope, final })
      return after(final, argumentOfVariable(frame, first, scope))
    case 'pipe':
      return after(final, notAFunction(frame, first, lastBefore(pipe, index)))
    default:
      return after(final, notAFunction(frame, first, first))
  }
}

function argumentOfVariable(frame: Frame, variable: VariableNode, scope: Scope): string {
  if (scope.find(variable.name) !== undefined) return notAFunction(frame, variable, variable)
  return frame.failure(variable, `undefined variable: ${variable.name}`)
}

function notAFunction(frame: Frame, operand: Operand, at: Visited): string {
  return frame.failure(at, `can't give argument to non-function ${printNode(operand)}`)
}
