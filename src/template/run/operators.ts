import { COMPARE } from '../cost.js'
import { ADAPTIVE_COMPARISONS, type Comparisons, GO_COMPARISONS } from '../format/adaptive.js'
import { eq } from '../format/compare.js'
import type { Value } from '../value.js'
import type { BuiltinSite } from './builtin-site.js'
import { adoptArguments, NOT_YET, performCharged } from './charged-call.js'
import { adoptTop } from './inward.js'
import { Pending, SUSPEND } from './pending.js'
import type { Run } from './run.js'

/** A comparison of two values in generated code: the easy cases at once, the others as Go does it. */
export type Operator = (run: Run, site: BuiltinSite, left: Value, right: Value) => Value

type Comparison = (left: Value, right: Value) => boolean

/** Texts from this length on are compared on the budget. */
const LONG = 10_000

/** Go's. */
export const GO_OPERATORS: Readonly<Record<keyof Comparisons, Operator>> = {
  eq: (run, site, left, right) => equal(run, site, left, right, GO_COMPARISONS.eq),
  ne: (run, site, left, right) => unequal(run, site, left, right, GO_COMPARISONS.ne),
  lt: (run, site, left, right) =>
    isSmallInt(left) && isSmallInt(right) ? left < right : compare(run, site, left, right, GO_COMPARISONS.lt),
  le: (run, site, left, right) =>
    isSmallInt(left) && isSmallInt(right)
      ? left <= right
      : compare(run, site, left, right, GO_COMPARISONS.le),
  gt: (run, site, left, right) =>
    isSmallInt(left) && isSmallInt(right) ? left > right : compare(run, site, left, right, GO_COMPARISONS.gt),
  ge: (run, site, left, right) =>
    isSmallInt(left) && isSmallInt(right)
      ? left >= right
      : compare(run, site, left, right, GO_COMPARISONS.ge),
}

/** Where integers and floats meet, two plain numbers compare as they are; NaN is greater than all, as in Go. */
export const ADAPTIVE_OPERATORS: Readonly<Record<keyof Comparisons, Operator>> = {
  eq: (run, site, left, right) => equal(run, site, left, right, ADAPTIVE_COMPARISONS.eq),
  ne: (run, site, left, right) => unequal(run, site, left, right, ADAPTIVE_COMPARISONS.ne),
  lt: (run, site, left, right) =>
    isNumber(left) && isNumber(right)
      ? left < right
      : compare(run, site, left, right, ADAPTIVE_COMPARISONS.lt),
  le: (run, site, left, right) =>
    isNumber(left) && isNumber(right)
      ? left <= right
      : compare(run, site, left, right, ADAPTIVE_COMPARISONS.le),
  gt: (run, site, left, right) =>
    isNumber(left) && isNumber(right)
      ? !(left <= right)
      : compare(run, site, left, right, ADAPTIVE_COMPARISONS.gt),
  ge: (run, site, left, right) =>
    isNumber(left) && isNumber(right)
      ? !(left < right)
      : compare(run, site, left, right, ADAPTIVE_COMPARISONS.ge),
}

/** The builtin `not`. */
export function not(run: Run, site: BuiltinSite, value: Value, isTrue: (value: Value) => boolean): Value {
  if (value instanceof Pending) {
    return run.calls.defer([value], ([settled]) => not(run, site, settled, isTrue))
  }
  return !truthOf(value, isTrue)
}

/** Whether a value counts as true. @throws SUSPEND if it is still under way */
export function truthOf(value: Value, isTrue: (value: Value) => boolean): boolean {
  if (value instanceof Pending) throw SUSPEND
  return isTrue(typeof value === 'object' && value !== null ? adoptTop(value) : value)
}

/** Whether two texts that differ are the same bytes: only if one has stray bytes, and then their lengths differ. */
export function isEqualText(left: string, right: string): boolean {
  return left.length !== right.length && !(left.isWellFormed() && right.isWellFormed()) && eq(left, right)
}

function equal(run: Run, site: BuiltinSite, left: Value, right: Value, comparison: Comparison): Value {
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length > LONG || right.length > LONG) return compare(run, site, left, right, comparison)
    return left === right || isEqualText(left, right)
  }
  return isSmallInt(left) && isSmallInt(right) ? left === right : compare(run, site, left, right, comparison)
}

function unequal(run: Run, site: BuiltinSite, left: Value, right: Value, comparison: Comparison): Value {
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length > LONG || right.length > LONG) return compare(run, site, left, right, comparison)
    return left !== right && !isEqualText(left, right)
  }
  return isSmallInt(left) && isSmallInt(right) ? left !== right : compare(run, site, left, right, comparison)
}

function compare(
  run: Run,
  site: BuiltinSite,
  left: Value,
  right: Value,
  comparison: Comparison,
  hasWaited = false,
): Value {
  const { budget, calls } = run
  if (left instanceof Pending || right instanceof Pending) {
    return calls.defer([left, right], ([first, second]) => compare(run, site, first, second, comparison))
  }
  const values = adoptArguments(run, site, [left, right], false)
  const call = (_: BuiltinSite, [first, second]: Value[]) => comparison(first, second)
  const result = performCharged(budget, site, COMPARE, values, call, hasWaited)
  return result === NOT_YET ? calls.later(() => compare(run, site, left, right, comparison, true)) : result
}

function isNumber(value: Value): value is number {
  return typeof value === 'number'
}

function isSmallInt(value: Value): value is number {
  return typeof value === 'number' && (value | 0) === value
}
