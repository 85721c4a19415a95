import type { CallCost } from './api.js'
import {
  COMPARE,
  ESCAPE,
  ESCAPE_AS_NUMBERS,
  ESCAPE_MANY,
  GLANCE,
  LENGTH,
  PLACE,
  PRINT,
  TEXT,
} from './cost.js'
import { call } from './format/call.js'
import { index, length, slice } from './format/collection.js'
import { eq, ge, gt, le, lt, ne } from './format/compare.js'
import { htmlEscape, jsEscape, urlQueryEscape } from './format/escape.js'
import { truth } from './format/kind.js'
import { GO_PRINTING } from './format/printing.js'
import { sprint, sprintln } from './format/sprint.js'
import { sprintf } from './format/sprintf.js'
import type { Rules } from './program.js'
import type { Value } from './value.js'

/** The type of a parameter: `value` is Go's reflect.Value, which distinguishes nil from a missing value; `any` gets nil for both. */
export type BuiltinType = 'value' | 'any' | 'string'

/** One of Go's builtin functions. */
export interface Builtin {
  readonly types: readonly BuiltinType[]
  /** The last parameter repeats, zero or more times. */
  readonly variadic: boolean
  /** The implementation. `printf`, `and` and `or` are emitted inline instead: `and` and `or` need not evaluate every argument. */
  readonly call: (...values: Value[]) => Value
  readonly cost: CallCost
  /** Its arguments are in a truth position: a missing value counts as false. */
  readonly takesTruth: boolean
  /** Its result may be nil. */
  readonly returnsNil: boolean
}

type Parameters = Pick<Builtin, 'types' | 'variadic'>
type Traits = Partial<Pick<Builtin, 'cost' | 'takesTruth' | 'returnsNil'>>

const ONE_VALUE: Parameters = { types: ['value'], variadic: false }
const TWO_VALUES: Parameters = { types: ['value', 'value'], variadic: false }
const VALUES: Parameters = { types: ['value', 'value'], variadic: true }
const PRINTED: Parameters = { types: ['any'], variadic: true }
const FORMATTED: Parameters = { types: ['string', 'any'], variadic: true }

/** Go's builtin functions by name. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map([
  ['and', builtin(VALUES, firstFalse, { takesTruth: true })],
  ['call', builtin(VALUES, (target, ...values) => call('value', target, ...values), { returnsNil: true })],
  ['eq', builtin(VALUES, eq, { cost: COMPARE })],
  ['ge', builtin(TWO_VALUES, ge, { cost: COMPARE })],
  ['gt', builtin(TWO_VALUES, gt, { cost: COMPARE })],
  ['html', builtin(PRINTED, htmlEscape, { cost: ESCAPE })],
  ['index', builtin(VALUES, index, { cost: PLACE, returnsNil: true })],
  ['js', builtin(PRINTED, jsEscape, { cost: ESCAPE_AS_NUMBERS })],
  ['le', builtin(TWO_VALUES, le, { cost: COMPARE })],
  ['len', builtin(ONE_VALUE, length, { cost: LENGTH })],
  ['lt', builtin(TWO_VALUES, lt, { cost: COMPARE })],
  ['ne', builtin(TWO_VALUES, ne, { cost: COMPARE })],
  ['not', builtin(ONE_VALUE, (value) => !truth(value), { takesTruth: true })],
  ['or', builtin(VALUES, firstTrue, { takesTruth: true })],
  ['print', builtin(PRINTED, (...values) => sprint(values), { cost: PRINT })],
  ['printf', builtin(FORMATTED, print, { cost: PRINT })],
  ['println', builtin(PRINTED, (...values) => sprintln(values), { cost: PRINT })],
  ['slice', builtin(VALUES, slice, { cost: TEXT })],
  ['urlquery', builtin(PRINTED, urlQueryEscape, { cost: ESCAPE_MANY })],
])

/** True for functions whose arguments are in a truth position: a missing value counts as false. */
export function isTruthFunction({ truthFunctions }: Rules, name: string): boolean {
  return BUILTINS.get(name)?.takesTruth ?? truthFunctions.has(name)
}

/** What most builtins are charged: they look at their arguments only. */
function builtin(parameters: Parameters, call: Builtin['call'], traits: Traits = {}): Builtin {
  return { ...parameters, call, cost: GLANCE, takesTruth: false, returnsNil: false, ...traits }
}

function firstFalse(...values: Value[]): Value {
  return values.find((value) => !truth(value)) ?? values.at(-1)
}

function firstTrue(...values: Value[]): Value {
  return values.find(truth) ?? values.at(-1)
}

function print(format: Value, ...values: Value[]): Value {
  return sprintf(String(format), values, GO_PRINTING)
}
