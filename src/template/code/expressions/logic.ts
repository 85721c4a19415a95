import { at } from '../../../util/at.js'
import type { Operand } from '../../ast.js'
import type { Frame } from '../frame.js'
import type { Scope } from '../scope.js'
import type { BuiltinExpression, Emitter } from './emitter.js'
import { type Expression, nullable } from './expression.js'
import { DYNAMIC, lastVisited } from './places.js'

/** Whether an argument decides; it stands in a local. */
type Decides = (frame: Frame, local: string) => string

/** `and`: the first argument that is false, else the last. */
export function emitAnd(emitter: Emitter, call: BuiltinExpression): Expression {
  return emitLogic(emitter, call, (frame, local) => `!${frame.truth(local)}`)
}

/** `or`: the first argument that is true, else the last. */
export function emitOr(emitter: Emitter, call: BuiltinExpression): Expression {
  return emitLogic(emitter, call, (frame, local) => frame.truth(local))
}

function emitLogic(emitter: Emitter, call: BuiltinExpression, decides: Decides): Expression {
  const { frame } = emitter
  const { operands, scope, finalLocal } = call
  return frame.withTemporary((local) => {
    const given = operands.map((operand) => argumentOf(emitter, operand, local, scope))
    const values = finalLocal === null ? given : [...given, `${local}=${finalLocal}`]
    // Side by side, however many there are: JavaScript allows only so much nesting.
    const tried = values.slice(0, -1).map((value) => `(${value},${decides(frame, local)})||`)
    return nullable(`(${tried.join('')}(${at(values, -1)}),${local})`)
  })
}

/** Failures behind an argument are reported at the one that was evaluated last, which depends on the run. */
function argumentOf(emitter: Emitter, operand: Operand, local: string, scope: Scope): string {
  const visited = lastVisited(operand)
  const { code } = emitter.operand(operand, scope, true)
  const visit = visited === DYNAMIC ? '' : `,run.at=${emitter.frame.site(visited)}`
  return `${local}=${code}${visit}`
}
