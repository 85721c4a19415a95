import { GO_RULES, type Rules } from '../ast.js'
import type { BuiltinSite } from '../code/builtins.js'
import { INTERFACE_ARGUMENT } from '../format/collection.js'
import { eq, ge, gt, le, lt, ne } from '../format/compare.js'
import { formatValue } from '../format/format-value.js'
import { kindOf, listLength, truth } from '../format/kind.js'
import { sprintf } from '../format/sprintf.js'
import { notAnArray } from '../handlebars/failures.js'
import { HANDLEBARS_RULES } from '../handlebars/rules.js'
import type { Value } from '../value.js'
import type { LongText } from './byte-sink.js'
import { mismatch } from './call.js'
import { type Cursor, elementAt, openCursor } from './cursor.js'
import { escapeJson } from './escape-json.js'
import { hasInterfaceElements } from './field.js'
import { Pending, SUSPEND } from './pending.js'
import { formatFor } from './print.js'
import { isLarge } from './print-slowly.js'
import type { Run } from './run.js'
import { execError, type Site } from './site.js'

type Comparison = (left: Value, right: Value) => boolean

/** The fixed functions that generated code calls; their names are part of the generated source. */
export interface Helpers {
  readonly [name: string]: unknown
}

/** The helpers under a dialect's rules. */
export function helpersFor(rules: Rules): Helpers {
  return rules.dialect === 'go' ? GO_HELPERS : HANDLEBARS_HELPERS
}

function createHelpers(rules: Rules): Helpers {
  const format = formatFor(rules)
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
      write(run, output, formatLiteral(run, site, [first]), format),
    D2: (run: Run, output: string, site: BuiltinSite, first: Value, second: Value) =>
      (site.format as LiteralFormat).append2(output, first, second) ??
      write(run, output, formatLiteral(run, site, [first, second]), format),
    D3: (run: Run, output: string, site: BuiltinSite, first: Value, second: Value, third: Value) =>
      (site.format as LiteralFormat).append3(output, first, second, third) ??
      write(run, output, formatLiteral(run, site, [first, second, third]), format),
    L: (run: Run, output: string, text: string | LongText) =>
      typeof text === 'string' ? output + text : run.writeLong(output, text),
    Y: isEqualText,
    F: formatLiteral,
    F1: formatOne,
    F2: formatTwo,
    F3: formatThree,
    G: formatDynamic,
    S: formatArgument,
    B0: (run: Run, site: BuiltinSite) => builtin(run, site, []),
    B1: (run: Run, site: BuiltinSite, value: Value) => builtin(run, site, [value]),
    B2: (run: Run, site: BuiltinSite, left: Value, right: Value) => builtin(run, site, [left, right]),
    B: builtin,
    T: (value: Value) => settledTruth(value, isTrue),
    W: (run: Run, output: string, value: Value) => write(run, output, value, format),
    J: (run: Run, output: string, value: Value) => writeJson(run, output, value, format),
    not: (run: Run, site: BuiltinSite, value: Value) => not(run, site, value, isTrue),
    eq: equal,
    ne: unequal,
    lt: (run: Run, site: BuiltinSite, left: Value, right: Value) =>
      areSmallInts(left, right) ? (left as number) < (right as number) : compare(run, site, left, right, lt),
    le: (run: Run, site: BuiltinSite, left: Value, right: Value) =>
      areSmallInts(left, right) ? (left as number) <= (right as number) : compare(run, site, left, right, le),
    gt: (run: Run, site: BuiltinSite, left: Value, right: Value) =>
      areSmallInts(left, right) ? (left as number) > (right as number) : compare(run, site, left, right, gt),
    ge: (run: Run, site: BuiltinSite, left: Value, right: Value) =>
      areSmallInts(left, right) ? (left as number) >= (right as number) : compare(run, site, left, right, ge),
  }
}

const GO_HELPERS = createHelpers(GO_RULES)
const HANDLEBARS_HELPERS = { ...createHelpers(HANDLEBARS_RULES), R: openList }

/** The declaration of every helper in generated code. */
export const HELPER_NAMES = Object.keys(GO_HELPERS).join(',')

function write(run: Run, output: string, value: Value, format: (value: Value) => string): string {
  if (typeof value === 'string') return output + value
  if (Number.isSafeInteger(value)) return output + (value as number)
  if (value instanceof Pending) return run.hole(output, value)
  if (run.budget.mode !== 'synchronous' && format === formatValue && isLarge(value)) {
    return run.printSlowly(output, value)
  }
  return output + charged(run, format(value))
}

function writeJson(run: Run, output: string, value: Value, format: (value: Value) => string): string {
  if (typeof value === 'string') {
    run.prints(output, value)
    return output + escapeJson(value, run)
  }
  if (Number.isSafeInteger(value)) return output + (value as number)
  if (value instanceof Pending) return run.hole(output, value)
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
  return isTrue(value)
}

/** Everything except missing, null, false, the empty string and the empty list. */
function handlebarsTruth(value: Value): boolean {
  if (value === undefined || value === null || value === false || value === '') return false
  return kindOf(value) !== 'slice' || listLength(value) > 0
}

/** Only lists can be looped over; plain arrays do not come here. */
function openList(_run: Run, value: Value, site: Site): Cursor {
  const cursor = kindOf(value) === 'slice' ? openCursor(value) : null
  if (cursor === null) throw notAnArray(site)
  return cursor
}

function equal(run: Run, site: BuiltinSite, left: Value, right: Value): Value {
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length > LONG && left.length === right.length) return compare(run, site, left, right, eq)
    return left === right || isEqualText(left, right)
  }
  return areSmallInts(left, right) ? left === right : compare(run, site, left, right, eq)
}

function unequal(run: Run, site: BuiltinSite, left: Value, right: Value): Value {
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length > LONG && left.length === right.length) return compare(run, site, left, right, ne)
    return left !== right && !isEqualText(left, right)
  }
  return areSmallInts(left, right) ? left !== right : compare(run, site, left, right, ne)
}

/** Different texts can only be the same bytes if one has stray bytes, and then their lengths differ. */
function isEqualText(left: string, right: string): boolean {
  return left.length !== right.length && !(left.isWellFormed() && right.isWellFormed()) && eq(left, right)
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
    return comparison(left, right)
  } catch (error) {
    throw run.callFailed(site, error)
  }
}

function not(run: Run, site: BuiltinSite, value: Value, isTrue: (value: Value) => boolean): Value {
  if (value instanceof Pending) return run.defer([value], ([settled]) => not(run, site, settled, isTrue))
  return !isTrue(value)
}

function builtin(run: Run, site: BuiltinSite, values: Value[]): Value {
  if (values.some(isPending)) return run.defer(values, (settled) => builtin(run, site, settled))
  let result: Value
  try {
    const units = run.budget.costOf(site.cost, values)
    if (!run.admits(site.callSite, units)) return run.later(() => builtin(run, site, values))
    result = site.call(...values)
  } catch (error) {
    throw run.callFailed(site, error)
  }
  if (site.cost.makes) run.made(site.callSite, result)
  return result
}

/** Texts from this length on are compared on the budget. */
const LONG = 10_000

function workOf(value: Value): number {
  return typeof value === 'string' ? value.length * COMPARISON_COST : 10
}

/** For each character, if one text is kept in one byte each and the other in two. */
const COMPARISON_COST = 2

type LiteralFormat = NonNullable<BuiltinSite['format']>

function formatOne(run: Run, site: BuiltinSite, first: Value): Value {
  const text = (site.format as LiteralFormat).append1('', first)
  return text === undefined ? formatLiteral(run, site, [first]) : chargedAt(run, site, text)
}

function formatTwo(run: Run, site: BuiltinSite, first: Value, second: Value): Value {
  const text = (site.format as LiteralFormat).append2('', first, second)
  return text === undefined ? formatLiteral(run, site, [first, second]) : chargedAt(run, site, text)
}

function formatThree(run: Run, site: BuiltinSite, first: Value, second: Value, third: Value): Value {
  const text = (site.format as LiteralFormat).append3('', first, second, third)
  return text === undefined ? formatLiteral(run, site, [first, second, third]) : chargedAt(run, site, text)
}

function chargedAt(run: Run, site: BuiltinSite, text: string): string {
  run.made(site.callSite, text)
  return text
}

function formatLiteral(run: Run, site: BuiltinSite, values: Value[]): Value {
  if (values.some(isPending)) {
    return run.defer(values, (settled) =>
      formatLiteral(
        run,
        site,
        settled.map((value) => value ?? null),
      ),
    )
  }
  let text: string
  try {
    const units = run.budget.costOf(site.cost, values)
    if (!run.admits(site.callSite, units)) return run.later(() => formatLiteral(run, site, values))
    text = (site.format as LiteralFormat).format(values, run.budget.maxWidth)
  } catch (error) {
    throw run.callFailed(site, error)
  }
  run.made(site.callSite, text)
  return text
}

function formatDynamic(run: Run, site: BuiltinSite, format: Value, values: Value[]): Value {
  if (format instanceof Pending || values.some(isPending)) {
    return run.defer([format, ...values], ([settledFormat, ...settled]) => {
      return formatDynamic(
        run,
        site,
        settledFormat,
        settled.map((value) => value ?? null),
      )
    })
  }
  try {
    const units = run.budget.costOf(site.cost, [format, ...values])
    if (!run.admits(site.callSite, units)) return run.later(() => formatDynamic(run, site, format, values))
    const text = sprintf(format as string, values, run.budget.maxWidth)
    run.made(site.callSite, text)
    return text
  } catch (error) {
    throw run.callFailed(site, error)
  }
}

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
  return run.range(value, site, variables)
}

function fail(site: Site, message: string): never {
  throw execError(site, message)
}

function sliceIndex(_run: Run, value: Value, container: Value): Value {
  if (value === undefined || container === undefined) return value
  return container === null || hasInterfaceElements(container) ? INTERFACE_ARGUMENT : value
}
