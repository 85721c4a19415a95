import { formatArgument } from '../format/format-value.js'
import { elementsOf, entriesOf, hasOwnKey, kindOf, numberOf, Stringer } from '../format/kind.js'
import { Typed, toFloat, type Value } from '../value.js'

const MIN_INT64 = -(2n ** 63n)
const MAX_INT64 = 2n ** 63n - 1n
const DECIMAL_FLOAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const SPECIAL_FLOAT = /^([+-]?)(?:(inf(?:inity)?)|(nan))$/i
const HEX_FLOAT = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?\d+)$/

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

/** strconv.ParseInt; undefined if the text is not such an integer or does not fit. */
export function parseInt64(text: string, base: number): bigint | undefined {
  const sign = text.startsWith('-') ? -1n : 1n
  const digits = /^[+-]/.test(text) ? text.slice(1) : text
  const magnitude = parseMagnitude(digits, base)
  if (magnitude === undefined) return undefined
  const value = sign * magnitude
  return value < MIN_INT64 || value > MAX_INT64 ? undefined : value
}

/** strconv.ParseInt in base 10 without its error: the nearest int64 if the text is out of range, 0 if it is not an integer. */
export function clampedInt64(text: string): bigint {
  if (!/^[+-]?[0-9]+$/.test(text)) return 0n
  return parseInt64(text, 10) ?? (text.startsWith('-') ? MIN_INT64 : MAX_INT64)
}

/** strconv.ParseFloat; undefined if the text is not a number or overflows. */
export function parseFloat64(text: string): number | undefined {
  if (DECIMAL_FLOAT.test(text)) return finite(Number(text))
  const special = SPECIAL_FLOAT.exec(text)
  if (special !== null) {
    if (special[3] !== undefined) return special[1] === '' ? Number.NaN : undefined
    return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }
  const hex = HEX_FLOAT.exec(text)
  return hex === null ? undefined : parseHexFloat(hex)
}

function parseHexFloat([, sign, integer = '', fraction = '', exponent]: RegExpExecArray): number | undefined {
  if (integer + fraction === '') return undefined
  const value = Number(`0x${integer}${fraction}`) * 2 ** (Number(exponent) - 4 * fraction.length)
  return finite(sign === '-' ? -value : value)
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}

function parseMagnitude(text: string, base: number): bigint | undefined {
  if (base !== 0) return parseDigits(text, base)
  const [, prefix = '', digits = ''] = /^0([xXoObB])(.+)$/s.exec(text) ?? []
  const prefixBase = PREFIX_BASES.get(prefix.toLowerCase())
  if (prefixBase !== undefined) return parseDigits(separated(digits, true), prefixBase)
  if (/^0.+/s.test(text)) return parseDigits(separated(text.slice(1), true), 8)
  return parseDigits(separated(text, false), 10)
}

const PREFIX_BASES = new Map([
  ['x', 16],
  ['o', 8],
  ['b', 2],
])
const DIGITS = '0123456789abcdef'
const DIGIT_PREFIXES: Readonly<Record<number, string>> = { 2: '0b', 8: '0o', 10: '', 16: '0x' }
/** More, of any base, do not fit int64. */
const MAX_DIGITS = 64

/** Removes underscores that separate digits; other text stays as it is and does not parse. */
function separated(text: string, afterPrefix: boolean): string {
  const isSeparated = !text.includes('__') && !text.endsWith('_') && (afterPrefix || !text.startsWith('_'))
  return isSeparated ? text.replaceAll('_', '') : text
}

function parseDigits(text: string, base: number): bigint | undefined {
  const significant = text.replace(/^0+/, '')
  if (text === '' || significant.length > MAX_DIGITS) return undefined
  const allowed = DIGITS.slice(0, base)
  for (const digit of significant.toLowerCase()) {
    if (!allowed.includes(digit)) return undefined
  }
  return BigInt(DIGIT_PREFIXES[base] + significant.padStart(1, '0'))
}

/** cast's rule: `8.00` parses as 8. */
function trimZeroDecimal(text: string): string {
  return text.replace(/\.0+$/, '')
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
