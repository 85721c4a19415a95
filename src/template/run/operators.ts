import { COMPARE } from '../cost.js'
import { ADAPTIVE_COMPARISONS, type Comparisons, GO_COMPARISONS } from '../format/adaptive.js'
import { eq } from '../format/compare.js'
import type { Value } from '../value.js'
import type { BuiltinSite } from './builtin-site.js'
import { type ChargedWork, performArrived } from './charged-call.js'
import { Pending, SUSPEND } from './pending.js'
import type { Run } from './run.js'
import { adoptTop } from './value-adopter.js'

/** A comparison of two values in generated code: the easy cases at once, the others as Go does it. */
export type Operator = (run: Run, site: BuiltinSite, left: Value, right: Value) => Value

/** A comparison as a charged call. */
type Comparison = ChargedWork<Run, BuiltinSite>

/** Texts from this length on are compared on the budget. */
const LONG = 10_000

const GO = chargedComparisons(GO_COMPARISONS)
const ADAPTIVE = chargedComparisons(ADAPTIVE_COMPARISONS)

/** Go's. */
export const GO_OPERATORS: Readonly<Record<keyof Comparisons, Operator>> = {
  eq: (run, site, left, right) => equal(run, site, left, right, GO.eq),
  ne: (run, site, left, right) => unequal(run, site, left, right, GO.ne),
  lt: (run, site, left, right) =>
    isSmallInt(left) && isSmallInt(right) ? left < right : compare(run, site, left, right, GO.lt),
  le: (run, site, left, right) =>
    isSmallInt(left) && isSmallInt(right) ? left <= right : compare(run, site, left, right, GO.le),
  gt: (run, site, left, right) =>
    isSmallInt(left) && isSmallInt(right) ? left > right : compare(run, site, left, right, GO.gt),
  ge: (run, site, left, right) =>
    isSmallInt(left) && isSmallInt(right) ? left >= right : compare(run, site, left, right, GO.ge),
}

/** Where integers and floats meet, two plain numbers compare as they are; NaN is greater than all, as in Go. */
export const ADAPTIVE_OPERATORS: Readonly<Record<keyof Comparisons, Operator>> = {
  eq: (run, site, left, right) => equal(run, site, left, right, ADAPTIVE.eq),
  ne: (run, site, left, right) => unequal(run, site, left, right, ADAPTIVE.ne),
  lt: (run, site, left, right) =>
    isNumber(left) && isNumber(right) ? left < right : compare(run, site, left, right, ADAPTIVE.lt),
  le: (run, site, left, right) =>
    isNumber(left) && isNumber(right) ? left <= right : compare(run, site, left, right, ADAPTIVE.le),
  gt: (run, site, left, right) =>
    isNumber(left) && isNumber(right) ? !(left <= right) : compare(run, site, left, right, ADAPTIVE.gt),
  ge: (run, site, left, right) =>
    isNumber(left) && isNumber(right) ? !(left < right) : compare(run, site, left, right, ADAPTIVE.ge),
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

function compare(run: Run, site: BuiltinSite, left: Value, right: Value, comparison: Comparison): Value {
  return performArrived(run, site, [left, right], comparison)
}

function chargedComparisons({ eq, ne, lt, le, gt, ge }: Comparisons): Record<keyof Comparisons, Comparison> {
  const charged = (compares: (left: Value, right: Value) => boolean): Comparison => ({
    costOf: () => COMPARE,
    isDeep: () => false,
    perform: (_, __, [left, right]) => compares(left, right),
  })
  return {
    eq: charged(eq),
    ne: charged(ne),
    lt: charged(lt),
    le: charged(le),
    gt: charged(gt),
    ge: charged(ge),
  }
}

function isNumber(value: Value): value is number {
  return typeof value === 'number'
}

function isSmallInt(value: Value): value is number {
  return typeof value === 'number' && (value | 0) === value
}
