import type { LongText } from '../fast/byte-sink.js'
import { ADAPTIVE_COMPARISONS, type Comparisons, GO_COMPARISONS } from '../format/adaptive.js'
import { INTERFACE_ARGUMENT } from '../format/collection.js'
import { eq } from '../format/compare.js'
import { formatValue } from '../format/format-value.js'
import type { Rules } from '../program.js'
import { execError, type Site } from '../site.js'
import type { Value } from '../value.js'
import { adoptTop } from './border.js'
import { CALL_COST, FREE_CHARACTERS } from './budget.js'
import type { BuiltinSite } from './builtin-site.js'
import { mismatch } from './call.js'
import { type Cursor, elementAt } from './cursor.js'
import { escapeJson } from './escape-json.js'
import { hasInterfaceElements } from './field.js'
import { Pending, SUSPEND } from './pending.js'
import { isLarge } from './print-slowly.js'
import { formatOf, formatsFor } from './printf.js'
import type { Run } from './run.js'

type Comparison = (left: Value, right: Value) => boolean

/** What generated code calls beside the run, each under one word. */
export type Helpers = ReturnType<typeof createHelpers>
export type HelperName = keyof Helpers

/** The helpers under a dialect's rules. */
export function helpersFor(rules: Rules): Helpers {
  const helpers = known.get(rules) ?? createHelpers(rules)
  known.set(rules, helpers)
  return helpers
}

/** A pure memo: there are as many as dialects. */
const known = new WeakMap<Rules, Helpers>()

function createHelpers(rules: Rules) {
  const { print: format, isTrue } = rules
  const adaptsNumbers = rules.numbers === 'adaptive'
  const comparisons = adaptsNumbers ? ADAPTIVE_COMPARISONS : GO_COMPARISONS
  const { literal, dynamic, one, two, three } = formatsFor(adaptsNumbers)
  return {
    /** The class of results that are still under way. */
    Pending,
    /** Whether a loop goes over a plain list. */
    isArray: Array.isArray,
    /** Adds a printed value to the output. */
    print: (run: Run, output: string, value: Value) => write(run, output, value, format),
    /** The same to output that is the inside of a JSON string. */
    printJson: (run: Run, output: string, value: Value) => writeJson(run, output, value, format),
    /** Adds a long static text, as bytes where the render writes bytes. */
    addLong: (run: Run, output: string, text: string | LongText) =>
      typeof text === 'string' ? output + text : run.writeLong(output, text),
    /** Whether a value counts as true. */
    isTrue: (value: Value) => settledTruth(value, isTrue),
    /** What a loop goes over that is no plain list. */
    openLoop: openRange,
    /** An element of that. */
    elementAt: (cursor: Cursor, index: number) => elementAt(cursor, index),
    /** Fails where the text is wrong in a way that Go tells at run time. */
    fail,
    /** An index of `slice`, which Go may find inside an interface. */
    sliceIndex,
    /** Whether two texts that differ are the same bytes. */
    isEqualText,
    /** A call of a builtin, by the number of its arguments. */
    call0: (run: Run, site: BuiltinSite) => builtin(run, site, [], comparisons),
    call1: (run: Run, site: BuiltinSite, value: Value) =>
      isLight(site, value) ? callLight(run, site, [value]) : builtin(run, site, [value], comparisons),
    call2: (run: Run, site: BuiltinSite, left: Value, right: Value) =>
      isLight(site, left) && isLight(site, right)
        ? callLight(run, site, [left, right])
        : builtin(run, site, [left, right], comparisons),
    callAll: (run: Run, site: BuiltinSite, values: Value[]) => builtin(run, site, values, comparisons),
    not: (run: Run, site: BuiltinSite, value: Value) => not(run, site, value, isTrue),
    /** `printf` with a literal format, by the number of its values. */
    format1: one,
    format2: two,
    format3: three,
    formatAll: literal,
    /** The same, added to the output. */
    printFormat1: (run: Run, output: string, site: BuiltinSite, first: Value) =>
      formatOf(site).append1(output, first) ?? write(run, output, literal(run, site, [first]), format),
    printFormat2: (run: Run, output: string, site: BuiltinSite, first: Value, second: Value) =>
      formatOf(site).append2(output, first, second) ??
      write(run, output, literal(run, site, [first, second]), format),
    printFormat3: (run: Run, output: string, site: BuiltinSite, first: Value, second: Value, third: Value) =>
      formatOf(site).append3(output, first, second, third) ??
      write(run, output, literal(run, site, [first, second, third]), format),
    /** The same with a format that is known at run time only, once it is checked. */
    formatWith: dynamic,
    formatArgument,
    ...(adaptsNumbers ? ADAPTIVE_OPERATORS : GO_OPERATORS),
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
  const adopted = run.adopt(value)
  const { isLoopable, failures } = run.rules
  if (!isLoopable(adopted)) throw failures.notLoopable(site ?? run.at)
  return run.range(adopted, site, variables)
}

function fail(site: Site, message: string): never {
  throw execError(site, message)
}

function sliceIndex(_run: Run, value: Value, container: Value): Value {
  if (value === undefined || container === undefined) return value
  return container === null || hasInterfaceElements(container) ? INTERFACE_ARGUMENT : value
}
