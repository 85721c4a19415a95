import { at } from '../../../util/at.js'
import type { Operand } from '../../ast.js'
import type { Builtin } from '../../builtins.js'
import { isAscii } from '../../format/byte-string.js'
import type { Frame } from '../frame.js'
import type { Scope } from '../scope.js'
import { builtinSite, emitBuiltin } from './builtin-call.js'
import { type BuiltinExpression, certain, type Emitter, type Expression, nullable } from './expression.js'
import { DYNAMIC, lastVisited } from './places.js'

/** Whether an argument decides; it is in a local variable. */
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

/** One of the two comparisons that are written out where a value meets a constant text. */
interface Equality {
  readonly helper: 'eq' | 'ne'
  /** The code around the test whether the texts are equal. */
  readonly start: string
  readonly end: string
}

const EQUAL: Equality = { helper: 'eq', start: '', end: '' }
const UNEQUAL: Equality = { helper: 'ne', start: '!(', end: ')' }

/** `eq`, of any number of values. */
export function emitEqual(emitter: Emitter, call: BuiltinExpression, builtin: Builtin): Expression {
  return emitEquality(emitter, call, builtin, EQUAL)
}

/** `ne`, of two values. */
export function emitUnequal(emitter: Emitter, call: BuiltinExpression, builtin: Builtin): Expression {
  return emitEquality(emitter, call, builtin, UNEQUAL)
}

function emitEquality(
  emitter: Emitter,
  call: BuiltinExpression,
  builtin: Builtin,
  equality: Equality,
): Expression {
  const [, second, ...others] = call.operands
  const isPlain = second?.kind === 'string' && others.length === 0 && call.finalLocal === null
  if (!isPlain) return emitBuiltin(emitter, call, builtin)
  return compareText(emitter, call, builtin, equality, second.text)
}

/** A comparison with a constant text, which may be equal to a different one only if it is not ASCII. */
function compareText(
  emitter: Emitter,
  call: BuiltinExpression,
  builtin: Builtin,
  { helper, start, end }: Equality,
  text: string,
): Expression {
  const { frame } = emitter
  const { constants } = frame.context
  const { code } = emitter.operand(at(call.operands, 0), call.scope, false)
  const site = constants.add(builtinSite(frame, call, builtin), 'builtinSite')
  const constant = constants.add(text)
  const hasOthers = constants.add(!isAscii(text))
  const isEqual = `value===${constant}||${hasOthers}&&${frame.use('isEqualText')}(value,${constant})`
  const general = `${frame.use(helper)}(run,${site},value,${constant})`
  return certain(`(typeof(value=${code})==="string"?${start}${isEqual}${end}:${general})`)
}
