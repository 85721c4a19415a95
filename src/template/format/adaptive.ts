import { type Float, toFloat, type Value } from '../value.js'
import * as go from './compare.js'
import { kindOf, numberOf } from './kind.js'

/** How the builtins that compare do it. */
export interface Comparisons {
  /** The first value with each of the others. */
  readonly eq: (...values: Value[]) => boolean
  readonly ne: (left: Value, right: Value) => boolean
  readonly lt: (left: Value, right: Value) => boolean
  readonly le: (left: Value, right: Value) => boolean
  readonly gt: (left: Value, right: Value) => boolean
  readonly ge: (left: Value, right: Value) => boolean
}

/** Go's: an integer and a float are incompatible. */
export const GO_COMPARISONS: Comparisons = {
  eq: go.eq,
  ne: go.ne,
  lt: go.lt,
  le: go.le,
  gt: go.gt,
  ge: go.ge,
}

/** Those where an integer that meets a float is that float; otherwise they are Go's. */
export const ADAPTIVE_COMPARISONS: Comparisons = {
  eq: (first, ...others) => (others.length === 1 ? equal(first, others[0]) : equalsAny(first, others)),
  ne: (left, right) => go.ne(meeting(left, right), meeting(right, left)),
  lt: (left, right) => go.lt(meeting(left, right), meeting(right, left)),
  le: (left, right) => go.le(meeting(left, right), meeting(right, left)),
  gt: (left, right) => go.gt(meeting(left, right), meeting(right, left)),
  ge: (left, right) => go.ge(meeting(left, right), meeting(right, left)),
}

/** An integer of any type as a float64; undefined for every other value. */
export function adaptedToFloat(value: Value): number | Float | undefined {
  const kind = kindOf(value)
  return kind === 'int' || kind === 'uint' ? toFloat(Number(numberOf(value))) : undefined
}

function equal(left: Value, right: Value): boolean {
  return go.eq(meeting(left, right), meeting(right, left))
}

/** As Go's `eq` of several: the first that is equal ends it, and so does the first failure. */
function equalsAny(first: Value, others: readonly Value[]): boolean {
  // A text meets no float.
  if (others.length === 0 || typeof first === 'string') return go.eq(first, ...others)
  return others.some((other) => equal(first, other))
}

/** A value as it is compared with another one. */
function meeting(value: Value, other: Value): Value {
  return kindOf(other) === 'float' ? (adaptedToFloat(value) ?? value) : value
}
