import { BUILTINS, type Builtin } from '../../builtins.js'
import { countMessage } from '../../run/parameters.js'
import { emitBuiltin } from './builtin-call.js'
import { emitEqual, emitUnequal } from './comparison.js'
import type { BuiltinExpression, CallExpression, Emitter } from './emitter.js'
import { after, type Expression, withFinal } from './expression.js'
import { emitFunctionCall } from './function-call.js'
import { emitAnd, emitOr } from './logic.js'
import { emitPrintf } from './printf.js'

type EmitBuiltin = (emitter: Emitter, call: BuiltinExpression, builtin: Builtin) => Expression

/** Builtins that are more than a call. */
const SPECIAL: ReadonlyMap<string, EmitBuiltin> = new Map<string, EmitBuiltin>([
  ['and', emitAnd],
  ['eq', emitEqual],
  ['ne', emitUnequal],
  ['or', emitOr],
  ['printf', emitPrintf],
])

/** A call of a function by its name: one of Go's, or one that the program is given. */
export function emitCall(emitter: Emitter, call: CallExpression): Expression {
  const { name, command, operands, scope, final } = call
  const builtin = BUILTINS.get(name.name)
  if (builtin === undefined) return emitFunctionCall(emitter, call)
  const { types, variadic } = builtin
  const wrong = countMessage(name.name, types.length, variadic, operands.length, final !== null)
  if (wrong !== '') return after(final, emitter.frame.failure(name, wrong))
  const emit = SPECIAL.get(name.name) ?? emitBuiltin
  // Member by member: every program that is compiled comes by here, and spreading is slow.
  return withFinal(final, emitter.frame, (finalLocal) =>
    emit(emitter, { name, command, operands, scope, finalLocal }, builtin),
  )
}
