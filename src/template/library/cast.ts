import { formatArgument } from '../format/format-value.js'
import { elementsOf, entriesOf, hasOwnKey, kindOf, numberOf, Stringer } from '../format/kind.js'
import { Typed, toFloat, type Value } from '../value.js'
import { parseFloat64, parseInt64, trimZeroDecimal } from './number-text.js'

const MIN_INT64 = -(2n ** 63n)

/** An int64 of Go: a boxed number, or a bigint where a number is not exact. */
export function toInt64Value(value: number | bigint): Typed {
  if (typeof value === 'number' && Number.isSafeInteger(value))
    return new Typed('int64', value === 0 ? 0 : value)
  const wrapped = BigInt.asIntN(64, BigInt(value))
  return new Typed('int64', toNumber(wrapped))
}

/** A bigint as a number where that is exact. */
export function toNumber(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** cast.ToInt64: strings are parsed with their base prefix, what cannot be converted is 0. */
export function castInt64(value: Value): number | bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  if (value === null || value === undefined) return 0
  switch (kindOf(value)) {
    case 'int':
      return exactInteger(numberOf(value))
    case 'uint':
      return toNumber(BigInt.asIntN(64, BigInt(numberOf(value))))
    case 'float':
      return truncateFloat(Number(numberOf(value)))
    case 'bool':
      return value ? 1 : 0
    case 'string':
      return toNumber(parseInt64(trimZeroDecimal(String(value)), 0) ?? 0n)
    default:
      return 0
  }
}

/** cast.ToFloat64: what cannot be converted is 0. */
export function castFloat64(value: Value): number {
  if (value === null || value === undefined) return 0
  switch (kindOf(value)) {
    case 'int':
    case 'uint':
    case 'float':
      return Number(numberOf(value))
    case 'bool':
      return value ? 1 : 0
    case 'string':
      return parseFloat64(String(value)) ?? 0
    default:
      return 0
  }
}

/** cast.ToInt as a count or position. */
export function castInt(value: Value): number {
  return Number(castInt64(value))
}

/** A float64 result. */
export function float64(value: number): Value {
  return toFloat(value)
}

/** Sprig's strval: any value as text. */
export function castString(value: Value): string {
  return typeof value === 'string' ? value : formatArgument(value)
}

/** Sprig's strslice: any value as texts, without nil. */
export function castStrings(value: Value): readonly string[] {
  if (value === null || value === undefined) return []
  if (kindOf(value) !== 'slice') return [castString(value)]
  return elementsOf(value)
    .filter((item) => item !== null && item !== undefined)
    .map(castString)
}

/** A `[]string` result. */
export function stringList(items: readonly string[]): Typed {
  return new Typed('[]string', items)
}

/** Sprig's empty: zero, "", nil, false and what has no elements. */
export function isEmpty(value: Value): boolean {
  switch (typeof value) {
    case 'string':
      return value === ''
    case 'number':
      return value === 0
    case 'boolean':
      return !value
    case 'undefined':
      return true
    default:
      return value === null || isEmptyObject(value)
  }
}

function exactInteger(value: number | bigint): number | bigint {
  if (typeof value === 'bigint') return toNumber(value)
  return Number.isSafeInteger(value) ? value : BigInt(value)
}

/** What amd64 makes of a float64 beyond int64 is the smallest int64. */
function truncateFloat(value: number): number | bigint {
  if (!(Math.abs(value) < 2 ** 63)) return MIN_INT64
  return exactInteger(Math.trunc(value) + 0)
}

function isEmptyObject(value: Value): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (value instanceof Stringer) return false
  switch (kindOf(value)) {
    case 'slice':
      return elementsOf(value).length === 0
    case 'map':
      return !hasOwnKey(entriesOf(value))
    case 'int':
    case 'uint':
    case 'float':
      return Number(numberOf(value)) === 0
    default:
      return false
  }
}
