import type { ParameterType } from '../api.js'
import { Typed, type Value } from '../value.js'
import { index, length, slice } from './collection.js'
import { eq, ge, gt, le, lt, ne } from './compare.js'
import { htmlEscape, jsEscape, urlQueryEscape } from './escape.js'
import { GO_MAX_WIDTH, GoError } from './go-error.js'
import { kindOf, truth, typeName } from './kind.js'
import { GO_PRINTING } from './printing.js'
import { sprint, sprintln } from './sprint.js'
import { sprintf } from './sprintf.js'

/**
 * One of Go's builtin functions except `and` and `or`, which are control flow. A `value` parameter is Go's
 * reflect.Value: it sees the difference between nil and a missing value; `any` gets nil for both.
 */
export interface Builtin {
  readonly call: (...values: never[]) => Value
  readonly parameters: readonly (ParameterType | 'value')[]
  /** The last parameter repeats, zero or more times. */
  readonly variadic: boolean
}

/** The `not` builtin. */
export function not(value: Value): boolean {
  return !truth(value)
}

/**
 * The `call` builtin: runs a function that is data. JSON holds none, so this mostly explains why not.
 *
 * @param name how the text names the function; undefined where it comes through the pipe
 */
export function call(name: string | undefined, target: Value, ...values: Value[]): Value {
  if (target === null || target === undefined) throw new GoError('call of nil')
  if (typeof target !== 'function') {
    throw new GoError(`non-function ${name ?? reflected(target)} of type ${typeName(target)}`)
  }
  return (target as (...values: Value[]) => Value)(...values)
}

/** reflect.Value.String: a text is itself. */
function reflected(value: Value): string {
  if (kindOf(value) !== 'string') return `<${typeName(value)} Value>`
  return String(value instanceof Typed ? value.value : value)
}

/** The builtins, with printf refusing widths beyond a limit. `call` is listed for its signature only. */
export function createBuiltins(maxWidth: number = GO_MAX_WIDTH): ReadonlyMap<string, Builtin> {
  const printf = (format: string, ...values: Value[]) => sprintf(format, values, { ...GO_PRINTING, maxWidth })
  return new Map<string, Builtin>([
    ['call', { call: call.bind(null, 'value'), parameters: ['value', 'value'], variadic: true }],
    ['eq', { call: eq, parameters: ['value', 'value'], variadic: true }],
    ['ge', { call: ge, parameters: ['value', 'value'], variadic: false }],
    ['gt', { call: gt, parameters: ['value', 'value'], variadic: false }],
    ['html', { call: htmlEscape, parameters: ['any'], variadic: true }],
    ['index', { call: index, parameters: ['value', 'value'], variadic: true }],
    ['js', { call: jsEscape, parameters: ['any'], variadic: true }],
    ['le', { call: le, parameters: ['value', 'value'], variadic: false }],
    ['len', { call: length, parameters: ['value'], variadic: false }],
    ['lt', { call: lt, parameters: ['value', 'value'], variadic: false }],
    ['ne', { call: ne, parameters: ['value', 'value'], variadic: false }],
    ['not', { call: not, parameters: ['value'], variadic: false }],
    ['print', { call: (...values: Value[]) => sprint(values), parameters: ['any'], variadic: true }],
    ['printf', { call: printf, parameters: ['string', 'any'], variadic: true }],
    ['println', { call: (...values: Value[]) => sprintln(values), parameters: ['any'], variadic: true }],
    ['slice', { call: slice, parameters: ['value', 'value'], variadic: true }],
    ['urlquery', { call: urlQueryEscape, parameters: ['any'], variadic: true }],
  ])
}
