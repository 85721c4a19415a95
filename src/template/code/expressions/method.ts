import type { ChainNode, FieldNode, Operand, VariableNode } from '../../ast.js'
import type { Scope } from '../scope.js'
import { argumentList, callSite } from './arguments.js'
import type { Emitter } from './emitter.js'
import { type Expression, nullable, withFinal } from './expression.js'
import { fieldSite } from './field.js'
import { DYNAMIC, lastVisited } from './places.js'

/** A field with arguments. */
export interface MethodExpression {
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
export function emitMethod(emitter: Emitter, given: MethodExpression): Expression {
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
