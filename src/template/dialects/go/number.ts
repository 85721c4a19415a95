import type { NumberConstant } from '../../ast.js'
import { quote } from '../../format/quote.js'
import { Complex, type Float, isInt, toFloat } from '../../value.js'
import { unquoteRune } from './unquote.js'

const MAX_INT64 = 2n ** 63n - 1n
const MIN_INT64 = -(2n ** 63n)
const MAX_UINT64 = 2n ** 64n - 1n
const INTEGER = /^([+-]?)(?:0[xX]([\da-fA-F_]+)|0[bB]([01_]+)|0[oO]?([0-7_]+)|(0|[1-9][\d_]*))$/
const DECIMAL_FLOAT = /^[+-]?(?:[\d_]+(?:\.[\d_]*)?|\.[\d_]+)(?:[eE][+-]?[\d_]+)?$/
const HEX_FLOAT = /^([+-]?)0[xX]([\da-fA-F]*)(?:\.([\da-fA-F]*))?[pP]([+-]?\d+)$/
/** What fmt takes for a float before it looks closer. */
const FLOAT_TOKEN =
  /^[+-]?(?:0[xX][\da-fA-F_]*\.?[\da-fA-F_]*(?:[pP][+-]?[\d_]*)?|[\d_]*\.?[\d_]*(?:[eEpP][+-]?[\d_]*)?)/
/** More digits, of any base, do not fit 64 bits. */
const MAX_DIGITS = 64
/** Binary digits and exponents beyond these make every float zero or infinite. */
const MAX_HEX_EXPONENT = 10_000

/**
 * Reads a number as Go's template parser does: as every type that can hold it.
 *
 * @throws Error in Go's words
 */
export function parseNumber(text: string): NumberConstant {
  const imaginary = text.endsWith('i') ? parseFloat64(text.slice(0, -1)) : null
  if (imaginary !== null) return complexConstant(text, new Complex(0, imaginary))
  const integer = parseInteger(text)
  if (integer !== null) return integerConstant(text, integer)
  const float = parseFloat64(text)
  if (float === null) throw new Error(`illegal number syntax: ${quote(text)}`)
  if (!/[.eEpP]/.test(text)) throw new Error(`integer overflow: ${quote(text)}`)
  const int = isInt(float) ? exactInt(BigInt(float)) : null
  return { text, int, isUint: Number.isInteger(float) && float >= 0, float, ideal: toFloat(float) }
}

/**
 * Reads a character constant with its quotes.
 *
 * @throws Error in Go's words
 */
export function parseCharacter(text: string): NumberConstant {
  const rune = unquoteRune(text)
  return { text, int: rune, isUint: true, float: rune, ideal: rune }
}

/**
 * Reads a real and an imaginary part as fmt.Sscan does, which takes what may be a float and asks afterwards.
 *
 * @throws Error in Go's words
 */
export function parseComplex(text: string): NumberConstant {
  const real = floatToken(text)
  const sign = text.charAt(real.length)
  const imaginary = floatToken(text.slice(real.length + 1))
  const end = text.slice(real.length + 1 + imaginary.length)
  // Without digits the i is taken for the beginning of inf.
  if (!/^[+-]$/.test(sign) || /^[+-]?$/.test(imaginary) || end !== 'i') {
    throw new Error('syntax error scanning complex number')
  }
  return complexConstant(text, new Complex(scannedFloat(real), scannedFloat(sign + imaginary)))
}

function floatToken(text: string): string {
  return FLOAT_TOKEN.exec(text)?.[0] ?? ''
}

function scannedFloat(token: string): number {
  const value = parseFloat64(token)
  if (value !== null) return value
  const complaint =
    DECIMAL_FLOAT.test(token) && !token.includes('_') ? 'value out of range' : 'invalid syntax'
  throw new Error(`strconv.ParseFloat: parsing ${quote(token)}: ${complaint}`)
}

/** Without an imaginary part it also serves where a real number is wanted. */
function complexConstant(text: string, value: Complex): NumberConstant {
  const { real, imaginary } = value
  const int = imaginary === 0 && isInt(real) ? exactInt(BigInt(real)) : null
  const isUint = int !== null && real >= 0
  return { text, int, isUint, float: imaginary === 0 ? real : null, ideal: value }
}

function integerConstant(text: string, integer: bigint): NumberConstant {
  const fits = integer >= MIN_INT64 && integer <= MAX_INT64
  const int = fits ? exactInt(integer) : null
  return { text, int, isUint: integer >= 0n, float: Number(integer), ideal: int }
}

function exactInt(integer: bigint): number | bigint {
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : integer
}

/** An integer that fits int64 or uint64, else null. */
function parseInteger(text: string): bigint | null {
  if (text.length < 16 && /^(?:0|[1-9]\d*)$/.test(text)) return BigInt(text)
  const match = INTEGER.exec(text)
  if (match === null || !hasValidUnderscores(text)) return null
  const [, sign, hex, binary, octal, decimal] = match
  const digits = (hex ?? binary ?? octal ?? decimal ?? '').replaceAll('_', '').replace(/^0+/, '')
  if (digits.length > MAX_DIGITS) return null
  const integer = BigInt(prefixOf(hex, binary, octal) + digits.padStart(1, '0'))
  if (sign === '-') return integer <= -MIN_INT64 ? -integer : null
  return integer <= (sign === '+' ? MAX_INT64 : MAX_UINT64) ? integer : null
}

function prefixOf(hex?: string, binary?: string, octal?: string): string {
  return hex !== undefined ? '0x' : binary !== undefined ? '0b' : octal !== undefined ? '0o' : ''
}

/** A finite float64, else null. */
function parseFloat64(text: string): number | null {
  if (!hasValidUnderscores(text)) return null
  const plain = text.replaceAll('_', '')
  const value = /^[+-]?0[xX]/.test(plain) ? parseHexFloat(plain) : parseDecimalFloat(text, plain)
  return value !== null && Number.isFinite(value) ? value : null
}

function parseDecimalFloat(text: string, plain: string): number | null {
  return DECIMAL_FLOAT.test(text) && /^[+-]?\.?\d/.test(plain) ? Number(plain) : null
}

function parseHexFloat(text: string): number | null {
  const match = HEX_FLOAT.exec(text)
  if (match === null) return null
  const [, sign, whole = '', fraction = '', exponent = ''] = match
  if (whole === '' && fraction === '') return null
  const value = scaleByPowerOfTwo(BigInt(`0x${whole}${fraction}`), Number(exponent) - 4 * fraction.length)
  return sign === '-' ? -value : value
}

/** `mantissa × 2^exponent`, correctly rounded. */
function scaleByPowerOfTwo(mantissa: bigint, exponent: number): number {
  if (mantissa === 0n || exponent < -MAX_HEX_EXPONENT) return 0
  if (exponent > MAX_HEX_EXPONENT) return Number.POSITIVE_INFINITY
  if (exponent >= 0) return Number(mantissa << BigInt(exponent))
  return divideByPowerOfTwo(mantissa, -exponent)
}

/** Rounds once, to even, also where the result is subnormal. */
function divideByPowerOfTwo(mantissa: bigint, shift: number): number {
  const bits = mantissa.toString(2).length
  const exponent = bits - 1 - shift
  const kept = Math.min(53, exponent + 1075)
  const dropped = bits - kept
  if (dropped <= 0) return Number(mantissa) * 2 ** Math.floor(-shift / 2) * 2 ** Math.ceil(-shift / 2)
  const unit = 1n << BigInt(dropped)
  const half = unit >> 1n
  let quotient = mantissa >> BigInt(dropped)
  const rest = mantissa & (unit - 1n)
  if (rest > half || (rest === half && (quotient & 1n) === 1n)) quotient += 1n
  const scale = dropped - shift
  return Number(quotient) * 2 ** Math.floor(scale / 2) * 2 ** Math.ceil(scale / 2)
}

function hasValidUnderscores(text: string): boolean {
  return !text.includes('_') || underscoresSeparateDigits(text)
}

/** Go's rule, strconv.underscoreOK: every underscore follows a digit or a base prefix and precedes a digit. */
function underscoresSeparateDigits(text: string): boolean {
  const body = text.replace(/^[+-]/, '')
  const prefix = /^0[bBoOxX]/.test(body)
  const digit = /^0[xX]/.test(body) ? /[\da-fA-F]/ : /\d/
  let last = prefix ? 'digit' : 'start'
  for (const character of prefix ? body.slice(2) : body) {
    const kind = digit.test(character) ? 'digit' : character === '_' ? 'underscore' : 'other'
    if (kind === 'underscore' && last !== 'digit') return false
    if (kind === 'other' && last === 'underscore') return false
    last = kind
  }
  return last !== 'underscore'
}

/** The constant as a float64 in its JavaScript form. */
export function constantFloat(constant: NumberConstant): number | Float | null {
  return constant.float === null ? null : toFloat(constant.float)
}
