import type { CallCost } from './api.js'
import { ELEMENTS, ESCAPE, GLANCE, LENGTH, TEXT } from './cost.js'
import { call, createBuiltins } from './format/builtins.js'
import type { Value } from './value.js'

/** Parameters of Go's builtins; `value` is reflect.Value, which tells nil from no value. */
export interface BuiltinParameters {
  readonly types: readonly ('value' | 'any' | 'string')[]
  readonly variadic: boolean
}

const ONE_VALUE: BuiltinParameters = { types: ['value'], variadic: false }
const TWO_VALUES: BuiltinParameters = { types: ['value', 'value'], variadic: false }
const VALUES: BuiltinParameters = { types: ['value', 'value'], variadic: true }
const PRINTED: BuiltinParameters = { types: ['any'], variadic: true }

/** Go's builtin functions. */
export const BUILTIN_PARAMETERS: ReadonlyMap<string, BuiltinParameters> = new Map([
  ['and', VALUES],
  ['call', VALUES],
  ['eq', VALUES],
  ['ge', TWO_VALUES],
  ['gt', TWO_VALUES],
  ['html', PRINTED],
  ['index', VALUES],
  ['js', PRINTED],
  ['le', TWO_VALUES],
  ['len', ONE_VALUE],
  ['lt', TWO_VALUES],
  ['ne', TWO_VALUES],
  ['not', ONE_VALUE],
  ['or', VALUES],
  ['print', PRINTED],
  ['printf', { types: ['string', 'any'], variadic: true }],
  ['println', PRINTED],
  ['slice', VALUES],
  ['urlquery', PRINTED],
])

/** Builtins that compare two values. */
export const COMPARISONS: ReadonlySet<string> = new Set(['eq', 'ne', 'lt', 'le', 'gt', 'ge'])

const TRUTH_FUNCTIONS = new Set(['and', 'or', 'not', 'default', 'coalesce', 'empty', 'ternary'])

/** True for functions whose arguments are in a truth position: a missing value counts as false. */
export function isTruthFunction(name: string): boolean {
  return TRUTH_FUNCTIONS.has(name)
}

const FUNCTIONS = createBuiltins()

/** What builtins cost; the others look at their arguments only. */
const COSTS: ReadonlyMap<string, CallCost> = new Map([
  ['html', ESCAPE],
  ['index', TEXT],
  ['js', ESCAPE],
  ['len', LENGTH],
  ['print', ELEMENTS],
  ['printf', ELEMENTS],
  ['println', ELEMENTS],
  ['slice', TEXT],
  ['urlquery', ESCAPE],
])

/** What a call of a builtin costs. */
export function builtinCost(name: string): CallCost {
  return COSTS.get(name) ?? GLANCE
}

/** What runs a builtin; printf, and and or have code of their own. */
export function builtinFunction(
  name: string,
  firstOperand: string | undefined,
): (...values: Value[]) => Value {
  if (name === 'call') return (target, ...values) => call(firstOperand, target, ...values)
  return (FUNCTIONS.get(name)?.call ?? call) as (...values: Value[]) => Value
}
