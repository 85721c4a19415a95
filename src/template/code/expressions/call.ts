import type { Node, Operand } from '../../ast.js'
import { BUILTINS, type Builtin, isTruthFunction } from '../../builtins.js'
import type { CallSite } from '../../run/call.js'
import { countMessage } from '../../run/parameters.js'
import type { Frame } from '../frame.js'
import type { Scope } from '../scope.js'
import { emitBuiltin } from './builtin-call.js'
import {
  after,
  type BuiltinExpression,
  type CallExpression,
  type Emitter,
  type Expression,
  nullable,
  withFinal,
} from './expression.js'
import { emitAnd, emitEqual, emitOr, emitUnequal } from './operators.js'
import { lastVisited } from './places.js'
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

/** Operands whose values the text says itself. */
const CONSTANTS: ReadonlySet<Operand['kind']> = new Set(['bool', 'number', 'string', 'nil'])

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

/** A call of a function other than a builtin, which is looked up at run time. */
function emitFunctionCall(emitter: Emitter, call: CallExpression): Expression {
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

/** The arguments of a call whose function is known once it runs. */
interface ArgumentList {
  readonly operands: readonly Operand[]
  /** The local of the function. */
  readonly bound: string
  readonly scope: Scope
  readonly finalLocal: string | null
  readonly guarded: boolean
}

/** The arguments of a call: each argument is checked and converted by itself, in order. */
export function argumentList(emitter: Emitter, given: ArgumentList): string {
  const { operands, bound, scope, finalLocal, guarded } = given
  const values = operands.map((operand, index) => {
    if (CONSTANTS.has(operand.kind)) return `${bound}.constant(run,${index})`
    return `${bound}.argument(run,${index},${emitter.operand(operand, scope, guarded).code})`
  })
  if (finalLocal !== null) values.push(`${bound}.final(run,${finalLocal})`)
  return values.join(',')
}

/** What of a call's site is not made of its operands. */
type CalledAt = Pick<CallSite, 'name' | 'nameSite' | 'callSite' | 'operands' | 'hasFinal'> & {
  /** Where a piped value of a wrong type is reported, unless operands precede it. */
  readonly node: Node
}

/** The constant of a call of a function or method. */
export function callSite(frame: Frame, { node, ...called }: CalledAt): string {
  const operandSites = called.operands.map((operand) => frame.visitedSite(lastVisited(operand)))
  const site: CallSite = {
    ...called,
    operandSites,
    finalSite: operandSites.length === 0 ? frame.siteOf(node) : (operandSites.at(-1) ?? null),
    functions: frame.context.generation.functions,
    bound: null,
  }
  return frame.context.constants.add(site, 'callSite')
}
