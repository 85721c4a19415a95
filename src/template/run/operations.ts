import { GO_RULES, type Rules } from '../ast.js'
import type { BuiltinSite } from '../code/builtins.js'
import { ADAPTIVE_COMPARISONS, type Comparisons, GO_COMPARISONS } from '../format/adaptive.js'
import { INTERFACE_ARGUMENT } from '../format/collection.js'
import { eq } from '../format/compare.js'
import { formatValue } from '../format/format-value.js'
import { kindOf, listLength, truth } from '../format/kind.js'
import { notAnArray } from '../handlebars/failures.js'
import { HANDLEBARS_RULES } from '../handlebars/rules.js'
import type { Value } from '../value.js'
import { adoptTop } from './border.js'
import { CALL_COST, FREE_CHARACTERS } from './budget.js'
import type { LongText } from './byte-sink.js'
import { mismatch } from './call.js'
import { type Cursor, elementAt, openCursor } from './cursor.js'
import { escapeJson } from './escape-json.js'
import { hasInterfaceElements } from './field.js'
import { Pending, SUSPEND } from './pending.js'
import { formatFor } from './print.js'
import { isLarge } from './print-slowly.js'
import { formatsFor, type LiteralFormat } from './printf.js'
import type { Run } from './run.js'
import { execError, type Site } from './site.js'

type Comparison = (left: Value, right: Value) => boolean

/** The fixed functions that generated code calls; their names are part of the generated source. */
export interface Helpers {
  readonly [name: string]: unknown
}

/** The helpers under a dialect's rules. */
export function helpersFor(rules: Rules): Helpers {
  if (rules.dialect !== 'go') return HANDLEBARS_HELPERS
  return rules.numbers === 'adaptive' ? ADAPTIVE_HELPERS : GO_HELPERS
}

function createHelpers(rules: Rules): Helpers {
  const format = formatFor(rules)
  const comparisons = rules.numbers === 'adaptive' ? ADAPTIVE_COMPARISONS : GO_COMPARISONS
  const { literal, dynamic, one, two, three } = formatsFor(rules.numbers === 'adaptive')
  const isTrue = rules.truth === 'go' ? truth : handlebarsTruth
  return {
    P: Pending,
    A: Array.isArray,
    E: (cursor: Cursor, index: number) => elementAt(cursor, index),
    R: openRange,
    X: fail,
    I: sliceIndex,
    D1: (run: Run, output: string, site: BuiltinSite, first: Value) =>
      (site.format as LiteralFormat).append1(output, first) ??
      write(run, output, literal(run, site, [first]), format),
    D2: (run: Run, output: string, site: BuiltinSite, first: Value, second: Value) =>
      (site.format as LiteralFormat).append2(output, first, second) ??
      write(run, output, literal(run, site, [first, second]), format),
    D3: (run: Run, output: string, site: BuiltinSite, first: Value, second: Value, third: Value) =>
      (site.format as LiteralFormat).append3(output, first, second, third) ??
      write(run, output, literal(run, site, [first, second, third]), format),
    L: (run: Run, output: string, text: string | LongText) =>
      typeof text === 'string' ? output + text : run.writeLong(output, text),
    Y: isEqualText,
    F: literal,
    F1: one,
    F2: two,
    F3: three,
    G: dynamic,
    S: formatArgument,
    B0: (run: Run, site: BuiltinSite) => builtin(run, site, [], comparisons),
    B1: (run: Run, site: BuiltinSite, value: Value) =>
      isLight(site, value) ? callLight(run, site, [value]) : builtin(run, site, [value], comparisons),
    B2: (run: Run, site: BuiltinSite, left: Value, right: Value) =>
      isLight(site, left) && isLight(site, right)
        ? callLight(run, site, [left, right])
        : builtin(run, site, [left, right], comparisons),
    B: (run: Run, site: BuiltinSite, values: Value[]) => builtin(run, site, values, comparisons),
    T: (value: Value) => settledTruth(value, isTrue),
    W: (run: Run, output: string, value: Value) => write(run, output, value, format),
    J: (run: Run, output: string, value: Value) => writeJson(run, output, value, format),
    not: (run: Run, site: BuiltinSite, value: Value) => not(run, site, value, isTrue),
    ...(rules.numbers === 'adaptive' ? ADAPTIVE_OPERATORS : GO_OPERATORS),
  }
}

type Operator = (run: Run, site: BuiltinSite, left: Value, right: Value) => Value

const GO_OPERATORS: Readonly<Record<keyof Comparisons, Operator>> = {
  eq: (run, site, left, right) => equal(run, site, left, right, GO_COMPARISONS.eq),
  ne: (run, site, left, right) => unequal(run, site, left, right, GO_COMPARISONS.ne),
  lt: (run, site, left, right) =>
    areSmallInts(left, right)
      ? (left as number) < (right as number)
      : compare(run, site, left, right, GO_COMPARISONS.lt),
  le: (run, site, left, right) =>
    areSmallInts(left, right)
      ? (left as number) <= (right as number)
      : compare(run, site, left, right, GO_COMPARISONS.le),
  gt: (run, site, left, right) =>
    areSmallInts(left, right)
      ? (left as number) > (right as number)
      : compare(run, site, left, right, GO_COMPARISONS.gt),
  ge: (run, site, left, right) =>
    areSmallInts(left, right)
      ? (left as number) >= (right as number)
      : compare(run, site, left, right, GO_COMPARISONS.ge),
}

/** Where integers and floats meet, two plain numbers compare as they are; NaN is greater than all, as in Go. */
const ADAPTIVE_OPERATORS: Readonly<Record<keyof Comparisons, Operator>> = {
  eq: (run, site, left, right) => equal(run, site, left, right, ADAPTIVE_COMPARISONS.eq),
  ne: (run, site, left, right) => unequal(run, site, left, right, ADAPTIVE_COMPARISONS.ne),
  lt: (run, site, left, right) =>
    arePlainNumbers(left, right)
      ? (left as number) < (right as number)
      : compare(run, site, left, right, ADAPTIVE_COMPARISONS.lt),
  le: (run, site, left, right) =>
    arePlainNumbers(left, right)
      ? (left as number) <= (right as number)
      : compare(run, site, left, right, ADAPTIVE_COMPARISONS.le),
  gt: (run, site, left, right) =>
    arePlainNumbers(left, right)
      ? !((left as number) <= (right as number))
      : compare(run, site, left, right, ADAPTIVE_COMPARISONS.gt),
  ge: (run, site, left, right) =>
    arePlainNumbers(left, right)
      ? !((left as number) < (right as number))
      : compare(run, site, left, right, ADAPTIVE_COMPARISONS.ge),
}

const GO_HELPERS = createHelpers(GO_RULES)
const ADAPTIVE_HELPERS = createHelpers({ ...GO_RULES, numbers: 'adaptive' })
const HANDLEBARS_HELPERS = { ...createHelpers(HANDLEBARS_RULES), R: openList }

/** The declaration of every helper in generated code. */
export const HELPER_NAMES = Object.keys(GO_HELPERS).join(',')

function write(run: Run, output: string, given: Value, format: (value: Value) => string): string {
  if (typeof given === 'string') return output + given
  if (Number.isSafeInteger(given)) return output + (given as number)
  if (given instanceof Pending) return run.hole(output, given)
  const value = run.adopt(given)
  if (run.budget.mode !== 'synchronous' && format === formatValue && isLarge(value)) {
    return run.printSlowly(output, value)
  }
  return output + charged(run, format(value))
}

function writeJson(run: Run, output: string, given: Value, format: (value: Value) => string): string {
  if (typeof given === 'string') {
    run.prints(output, given)
    return output + escapeJson(given, run)
  }
  if (Number.isSafeInteger(given)) return output + (given as number)
  if (given instanceof Pending) return run.hole(output, given)
  const value = run.adopt(given)
  if (run.budget.mode !== 'synchronous' && format === formatValue && isLarge(value)) {
    return run.printSlowly(output, value)
  }
  return output + escapeJson(charged(run, format(value)), run)
}

function charged(run: Run, text: string): string {
  run.budget.work -= text.length
  return text
}

function settledTruth(value: Value, isTrue: (value: Value) => boolean): boolean {
  if (value instanceof Pending) throw SUSPEND
  return isTrue(typeof value === 'object' && value !== null ? adoptTop(value) : value)
}

/** Everything except missing, null, false, the empty string and the empty list. */
function handlebarsTruth(value: Value): boolean {
  if (value === undefined || value === null || value === false || value === '') return false
  return kindOf(value) !== 'slice' || listLength(value) > 0
}

/** Only lists can be looped over; plain arrays do not come here. */
function openList(run: Run, value: Value, site: Site): Cursor {
  const adopted = run.adopt(value)
  const cursor = kindOf(adopted) === 'slice' ? openCursor(adopted) : null
  if (cursor === null) throw notAnArray(site)
  return cursor
}

function equal(run: Run, site: BuiltinSite, left: Value, right: Value, comparison: Comparison): Value {
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length > LONG && left.length === right.length) return compare(run, site, left, right, comparison)
    return left === right || isEqualText(left, right)
  }
  return areSmallInts(left, right) ? left === right : compare(run, site, left, right, comparison)
}

function unequal(run: Run, site: BuiltinSite, left: Value, right: Value, comparison: Comparison): Value {
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length > LONG && left.length === right.length) return compare(run, site, left, right, comparison)
    return left !== right && !isEqualText(left, right)
  }
  return areSmallInts(left, right) ? left !== right : compare(run, site, left, right, comparison)
}

/** Different texts can only be the same bytes if one has stray bytes, and then their lengths differ. */
function isEqualText(left: string, right: string): boolean {
  return left.length !== right.length && !(left.isWellFormed() && right.isWellFormed()) && eq(left, right)
}

function arePlainNumbers(left: Value, right: Value): boolean {
  return typeof left === 'number' && typeof right === 'number'
}

function areSmallInts(left: Value, right: Value): boolean {
  return typeof left === 'number' && typeof right === 'number' && (left | 0) === left && (right | 0) === right
}

function compare(run: Run, site: BuiltinSite, left: Value, right: Value, comparison: Comparison): Value {
  if (left instanceof Pending || right instanceof Pending) {
    return run.defer([left, right], ([first, second]) => compare(run, site, first, second, comparison))
  }
  if (!run.admits(site.callSite, workOf(left) + workOf(right))) {
    return run.later(() => compare(run, site, left, right, comparison))
  }
  try {
    return isObject(left) || isObject(right)
      ? comparison(run.adoptTop(left), run.adoptTop(right))
      : comparison(left, right)
  } catch (error) {
    throw run.callFailed(site, error)
  }
}

function not(run: Run, site: BuiltinSite, value: Value, isTrue: (value: Value) => boolean): Value {
  if (value instanceof Pending) return run.defer([value], ([settled]) => not(run, site, settled, isTrue))
  return !settledTruth(value, isTrue)
}

/** True for an argument that needs no look: it neither waits nor comes from elsewhere, and costs no more than the call. */
function isLight(site: BuiltinSite, value: Value): boolean {
  if (typeof value === 'string') return value.length <= FREE_CHARACTERS
  if (typeof value !== 'object' || value === null) return true
  return Array.isArray(value) && site.cost.elements === 'none'
}

/** A builtin whose arguments are all light. */
function callLight(run: Run, site: BuiltinSite, values: readonly Value[]): Value {
  if (!run.admits(site.callSite, CALL_COST)) return run.later(() => callLight(run, site, values))
  let result: Value
  try {
    result = site.call(...values)
  } catch (error) {
    throw run.callFailed(site, error)
  }
  if (site.cost.makes) run.made(site.callSite, result)
  return result
}

function builtin(run: Run, site: BuiltinSite, given: Value[], comparisons: Comparisons): Value {
  if (given.some(isPending)) {
    return run.defer(given, (settled) => builtin(run, site, settled, comparisons))
  }
  let result: Value
  try {
    const values = given.some(isObject) ? adopted(run, site, given) : given
    const units = run.budget.costOf(site.cost, values)
    if (!run.admits(site.callSite, units)) return run.later(() => builtin(run, site, values, comparisons))
    // Of two values it is a helper of its own.
    const call = site.name === 'eq' ? (comparisons.eq as typeof site.call) : site.call
    result = call(...values)
  } catch (error) {
    throw run.callFailed(site, error)
  }
  if (site.cost.makes) run.made(site.callSite, result)
  return result
}

function isObject(value: Value): boolean {
  return typeof value === 'object' && value !== null
}

/** What a builtin reads, as values of the engine: as deep as it reads it. */
function adopted(run: Run, site: BuiltinSite, values: Value[]): Value[] {
  const isDeep = site.cost.elements === 'all'
  return values.map((value) => (isDeep ? run.adopt(value) : run.adoptTop(value)))
}

/** Texts from this length on are compared on the budget. */
const LONG = 10_000

function workOf(value: Value): number {
  return typeof value === 'string' ? value.length * COMPARISON_COST : 10
}

/** For each character, if one text is kept in one byte each and the other in two. */
const COMPARISON_COST = 2

function formatArgument(run: Run, site: BuiltinSite, value: Value): Value {
  if (typeof value === 'string') return value
  if (value instanceof Pending) return run.defer([value], ([settled]) => formatArgument(run, site, settled))
  const message = mismatch(value, 'string')
  if (message !== '') throw execError(site.formatSite ?? run.at, message)
  return value
}

function isPending(value: Value): boolean {
  return value instanceof Pending
}

function openRange(run: Run, value: Value, site: Site | null, variables: number): Cursor {
  if (value instanceof Pending) throw SUSPEND
  return run.range(run.adopt(value), site, variables)
}

function fail(site: Site, message: string): never {
  throw execError(site, message)
}

function sliceIndex(_run: Run, value: Value, container: Value): Value {
  if (value === undefined || container === undefined) return value
  return container === null || hasInterfaceElements(container) ? INTERFACE_ARGUMENT : value
}
