import { isTruthFunction } from '../../builtins.js'
import { argumentList, callSite } from './arguments.js'
import type { CallExpression, Emitter } from './emitter.js'
import { type Expression, nullable, withFinal } from './expression.js'

/** A call of a function that is no builtin: which one is found when it runs. */
export function emitFunctionCall(emitter: Emitter, call: CallExpression): Expression {
  const { frame } = emitter
  const { name, command, operands, scope, final } = call
  const site = callSite(frame, {
    name: name.name,
    nameSite: frame.siteOf(name),
    callSite: frame.siteOf(command),
    operands,
    node: name,
    hasFinal: final !== null,
  })
  return withFinal(final, frame, (finalLocal) =>
    frame.withTemporary((bound) => {
      const guarded = isTruthFunction(frame.context.generation.program.rules, name.name)
      const values = argumentList(emitter, { operands, bound, scope, finalLocal, guarded })
      return nullable(`(${bound}=run.calls.resolve(${site}),run.calls.invoke(${bound},[${values}]))`)
    }),
  )
}
