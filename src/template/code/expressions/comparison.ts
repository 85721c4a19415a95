import { at } from '../../../util/at.js'
import type { Builtin } from '../../builtins.js'
import { isAscii } from '../../format/byte-string.js'
import { builtinSite, emitBuiltin } from './builtin-call.js'
import type { BuiltinExpression, Emitter } from './emitter.js'
import { certain, type Expression } from './expression.js'

/** One of the two comparisons that are written out where a value meets a constant text. */
interface Equality {
  readonly helper: 'eq' | 'ne'
  /** What stands around the test whether the texts are equal. */
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
