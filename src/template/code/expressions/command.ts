import type { ChainNode, CommandNode, FieldNode, Operand, PipeNode, VariableNode } from '../../ast.js'
import { printNode } from '../../dialects/go/printer.js'
import type { Frame } from '../frame.js'
import type { Scope } from '../scope.js'
import { argumentList, callSite } from './call.js'
import { after, certain, type Emitter, type Expression, nullable, withFinal } from './expression.js'
import { fieldSite } from './field.js'
import { DYNAMIC, lastBefore, lastVisited, type Visited } from './places.js'

/** A command, its position in its pipeline, and the result of the command before it. */
interface CommandExpression {
  readonly command: CommandNode
  readonly pipe: PipeNode
  readonly index: number
  readonly scope: Scope
  readonly guarded: boolean
  readonly final: Expression | null
}

/** A command: a call, a method, or a single value. */
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

/** A field with arguments. */
interface MethodExpression {
  readonly node: FieldNode | VariableNode | ChainNode
  readonly operands: readonly Operand[]
  readonly scope: Scope
  readonly final: Expression | null
}

/** What a method is called on. */
interface Receiver {
  readonly code: string
  /** An expression for the list or map it is an element of. */
  readonly container: string
}

/** A method call, or Go's complaint that there is no such field. */
function emitMethod(emitter: Emitter, given: MethodExpression): Expression {
  const { frame } = emitter
  const { node, operands, scope, final } = given
  const place = node.kind === 'chain' ? lastVisited(node.operand) : node
  const at = frame.siteOf(place === DYNAMIC ? node : place)
  const name = node.path.at(-1) ?? ''
  const call = callSite(frame, { name, nameSite: at, callSite: at, operands, node, hasFinal: final !== null })
  return withFinal(final, frame, (finalLocal) =>
    frame.withTemporary((bound) =>
      frame.withTemporary((receiver) => {
        const { code, container } = receiverOf(emitter, node, scope)
        const site = fieldSite(frame, node, place, false)
        const values = argumentList(emitter, { operands, bound, scope, finalLocal, guarded: false })
        const settle = frame.context.generation.mode.settle(receiver, frame.context.constants)
        const steps = [
          `${receiver}=${code}`,
          settle,
          `${bound}=run.method(${site},${call},${receiver},${container})`,
        ]
        const find = steps.filter((step) => step !== '').join(',')
        return nullable(`((${find})===undefined?undefined:run.calls.invoke(${bound},[${values}]))`)
      }),
    ),
  )
}

function receiverOf(emitter: Emitter, node: FieldNode | VariableNode | ChainNode, scope: Scope): Receiver {
  if (node.kind === 'chain') {
    return { code: emitter.operand(node.operand, scope, false).code, container: 'undefined' }
  }
  const from = node.kind === 'field' ? scope.dot : scope.find(node.name)
  if (from !== undefined) return { code: from.local, container: from.container || 'undefined' }
  const name = node.kind === 'variable' ? node.name : ''
  return { code: emitter.frame.failure(node, `undefined variable: ${name}`), container: 'undefined' }
}
