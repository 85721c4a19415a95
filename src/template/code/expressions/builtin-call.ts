import type { Operand } from '../../ast.js'
import type { Builtin } from '../../builtins.js'
import { printNode } from '../../dialects/go/printer.js'
import { call as callFunction } from '../../format/call.js'
import type { BuiltinSite } from '../../run/builtin-site.js'
import type { HelperName } from '../../run/operations.js'
import type { Frame } from '../frame.js'
import type { Scope } from '../scope.js'
import type { BuiltinExpression, Emitter, Expression } from './expression.js'

/** Comparisons of two values, and `not`, have helpers of their own, which have their names. */
const OPERATORS: ReadonlyMap<string, { readonly helper: HelperName; readonly values: number }> = new Map([
  ['eq', { helper: 'eq', values: 2 }],
  ['ne', { helper: 'ne', values: 2 }],
  ['lt', { helper: 'lt', values: 2 }],
  ['le', { helper: 'le', values: 2 }],
  ['gt', { helper: 'gt', values: 2 }],
  ['ge', { helper: 'ge', values: 2 }],
  ['not', { helper: 'not', values: 1 }],
])
const CALLS: readonly HelperName[] = ['call0', 'call1', 'call2']

/** A call of a builtin, by a helper of its own or by one for the number of its arguments. */
export function emitBuiltin(emitter: Emitter, call: BuiltinExpression, builtin: Builtin): Expression {
  const { frame } = emitter
  const { name, finalLocal } = call
  const values = call.operands.map((operand, index) =>
    builtinArgument(emitter, call, builtin, operand, index),
  )
  if (finalLocal !== null) values.push(builtin.types.at(-1) === 'any' ? `${finalLocal}??null` : finalLocal)
  const site = frame.context.constants.add(builtinSite(frame, call, builtin), 'builtinSite')
  const operator = operatorOf(name.name, values.length)
  const helper = frame.use(operator ?? callHelper(values.length))
  const list = operator !== undefined || values.length < 3 ? values.join(',') : `[${values.join(',')}]`
  const code = `${helper}(run,${site},${list || 'undefined'})`
  return { code, nullable: builtin.returnsNil }
}

/** Where a builtin is called, and what it does. */
export function builtinSite(
  frame: Frame,
  { name, command, operands: [first] }: BuiltinExpression,
  builtin: Builtin,
): BuiltinSite {
  return {
    name: name.name,
    call: name.name === 'call' ? callOfFunction(first) : builtin.call,
    cost: builtin.cost,
    callSite: frame.siteOf(command),
    nameSite: frame.siteOf(name),
  }
}

/** `call` says in its messages how the text names what is called. */
function callOfFunction(named: Operand | undefined): Builtin['call'] {
  const name = named === undefined ? undefined : printNode(named)
  return (target, ...values) => callFunction(name, target, ...values)
}

function builtinArgument(
  emitter: Emitter,
  { name, scope }: BuiltinExpression,
  builtin: Builtin,
  operand: Operand,
  index: number,
): string {
  const value = emitter.operand(operand, scope, name.name === 'not')
  const type = builtin.types[Math.min(index, builtin.types.length - 1)]
  if (type === 'any') return `${value.code}??null`
  const isIndex = name.name === 'slice' && index > 0
  return isIndex && value.nullable ? sliceIndex(emitter.frame, operand, value.code, scope) : value.code
}

/** An index of `slice` that Go finds inside an interface and refuses. */
function sliceIndex(frame: Frame, operand: Operand, code: string, scope: Scope): string {
  const container = containerOf(operand, scope)
  return `${frame.use('sliceIndex')}(run,${code},${container || 'undefined'})`
}

function containerOf(operand: Operand, scope: Scope): string {
  if (operand.kind === 'dot') return scope.dot.container
  if (operand.kind === 'variable' && operand.path.length === 0) {
    return scope.find(operand.name)?.container ?? 'null'
  }
  return 'null'
}

/** The helper of a builtin for this number of values, if it has its own. */
function operatorOf(builtin: string, values: number): HelperName | undefined {
  const operator = OPERATORS.get(builtin)
  return operator?.values === values ? operator.helper : undefined
}

/** The helper that calls a builtin with this number of values; more than two come as a list. */
function callHelper(values: number): HelperName {
  return CALLS[values] ?? 'callAll'
}
