import { at } from '../../util/at.js'
import { withoutTrailing } from '../../util/text/without-trailing.js'

/** A decimal number 0.d₁d₂… × 10^point, without trailing zeros. */
interface Decimal {
  readonly digits: string
  readonly point: number
}

/** The verbs of strconv.FormatFloat. */
export type FloatVerb = 'b' | 'e' | 'E' | 'f' | 'g' | 'G' | 'x' | 'X'

const MANTISSA_BITS = 52
const BIAS = 1023
const MANTISSA_MASK = (1n << 52n) - 1n
const MAX_EXPONENT = 0x7ff
/** toFixed prints exact digits below this magnitude and up to this precision. */
const FIXED_LIMIT = 1e21
const FIXED_PRECISION = 100
/** Where %g of the shortest digits changes to an exponent. */
const SHORTEST_EXPONENT = 6
/** 0.d × 2^60 is how the hexadecimal verbs hold the mantissa. */
const HEX_BITS = 60n

/** A float64 as `%v` prints it: the shortest digits that read back as the same number. */
export function formatFloat64(value: number): string {
  const magnitude = Math.abs(value)
  if (magnitude >= 1e-4 && magnitude < 1e6) return String(value)
  if (magnitude === 0) return Object.is(value, -0) ? '-0' : '0'
  if (!Number.isFinite(value)) return nonFinite(value)
  return goExponent(value.toExponential())
}

/**
 * strconv.FormatFloat: rounding is exact and half to even on the binary value.
 *
 * @param precision -1 for the fewest digits that read back as the same number
 */
export function formatFloat(value: number, verb: FloatVerb, precision: number, bits: 32 | 64 = 64): string {
  if (!Number.isFinite(value)) return nonFinite(value)
  if (verb === 'b') return formatBinary(value, bits)
  if (verb === 'x' || verb === 'X') return formatHex(value, verb, precision)
  if (verb === 'f' && precision >= 0) return formatFixed(value, precision)
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const magnitude = Math.abs(value)
  const decimal = precision < 0 ? shortest(magnitude, bits) : rounded(magnitude, verb, precision)
  return sign + layOut(decimal, verb, precision)
}

function nonFinite(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value < 0 ? '-Inf' : '+Inf'
}

/** JavaScript's `1.5e+7` with Go's two exponent digits. */
function goExponent(text: string): string {
  const at = text.length - 2
  return text.charCodeAt(at) === 0x2b || text.charCodeAt(at) === 0x2d
    ? `${text.slice(0, at + 1)}0${text.slice(at + 1)}`
    : text
}

function formatFixed(value: number, precision: number): string {
  const magnitude = Math.abs(value)
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  if (magnitude >= FIXED_LIMIT || precision > FIXED_PRECISION) {
    const exact = exactDecimal(magnitude)
    return sign + fixed(round(exact, exact.point + precision), precision)
  }
  const text = magnitude.toFixed(precision)
  // toFixed rounds a tie up, Go to even; a tie's lowest set bit is 2^-(precision + 1).
  const scaled = magnitude * 2 ** (precision + 1)
  const isTie = scaled % 2 === 1
  return sign + (isTie ? evenLastDigit(text) : text)
}

function evenLastDigit(text: string): string {
  const last = text.charCodeAt(text.length - 1) - 0x30
  return last % 2 === 0 ? text : text.slice(0, -1) + (last - 1)
}

function shortest(magnitude: number, bits: 32 | 64): Decimal {
  if (magnitude === 0) return { digits: '', point: 0 }
  return parseExponential(bits === 32 ? shortest32(magnitude) : magnitude.toExponential())
}

function shortest32(magnitude: number): string {
  for (let digits = 0; digits < 9; digits++) {
    const text = magnitude.toExponential(digits)
    if (Math.fround(Number(text)) === magnitude) return text
  }
  return magnitude.toExponential()
}

function parseExponential(text: string): Decimal {
  const [mantissa = '', exponent = '0'] = text.split('e')
  return { digits: trimZeros(mantissa.replace('.', '')), point: Number(exponent) + 1 }
}

function rounded(magnitude: number, verb: FloatVerb, precision: number): Decimal {
  if (magnitude === 0) return { digits: '', point: 0 }
  const isExponent = verb === 'e' || verb === 'E'
  return round(exactDecimal(magnitude), isExponent ? precision + 1 : Math.max(precision, 1))
}

/** Every digit of the binary value. */
function exactDecimal(magnitude: number): Decimal {
  const { mantissa, exponent } = decompose(magnitude)
  if (mantissa === 0n) return { digits: '', point: 0 }
  const integer = exponent >= 0 ? mantissa << BigInt(exponent) : mantissa * 5n ** BigInt(-exponent)
  const digits = integer.toString()
  return { digits: trimZeros(digits), point: digits.length + Math.min(exponent, 0) }
}

function round(decimal: Decimal, count: number): Decimal {
  const { digits, point } = decimal
  if (count < 0) return { digits: '', point: 0 }
  if (count >= digits.length) return decimal
  const kept = digits.slice(0, count)
  if (!roundsUp(digits, count)) return { digits: trimZeros(kept), point: kept === '' ? 0 : point }
  const withoutNines = withoutTrailing(kept, '9')
  if (withoutNines === '') return { digits: '1', point: point + 1 }
  const last = Number(withoutNines.at(-1)) + 1
  return { digits: withoutNines.slice(0, -1) + last, point }
}

function roundsUp(digits: string, count: number): boolean {
  const isTie = digits[count] === '5' && count + 1 === digits.length
  if (isTie) return count > 0 && Number(digits[count - 1]) % 2 === 1
  return at(digits, count) >= '5'
}

function trimZeros(digits: string): string {
  return withoutTrailing(digits, '0')
}

function layOut(decimal: Decimal, verb: FloatVerb, precision: number): string {
  const count = decimal.digits.length
  if (verb === 'f') return fixed(decimal, Math.max(count - decimal.point, 0))
  if (verb === 'e' || verb === 'E') {
    return exponential(decimal, verb, precision < 0 ? Math.max(count - 1, 0) : precision)
  }
  return general(decimal, verb === 'g' ? 'e' : 'E', precision)
}

function general(decimal: Decimal, exponentVerb: 'e' | 'E', precision: number): string {
  const count = decimal.digits.length
  const wanted = precision < 0 ? count : Math.max(precision, 1)
  let threshold = wanted > count && count >= decimal.point ? count : wanted
  if (precision < 0) threshold = SHORTEST_EXPONENT
  const exponent = decimal.point - 1
  if (exponent < -4 || exponent >= threshold) {
    return exponential(decimal, exponentVerb, Math.min(wanted, count) - 1)
  }
  return fixed(decimal, Math.max((wanted > decimal.point ? count : wanted) - decimal.point, 0))
}

function exponential(decimal: Decimal, verb: 'e' | 'E', precision: number): string {
  const { digits } = decimal
  const fraction = precision > 0 ? `.${digits.slice(1, precision + 1).padEnd(precision, '0')}` : ''
  const exponent = digits === '' ? 0 : decimal.point - 1
  const sign = exponent < 0 ? '-' : '+'
  return `${digits[0] ?? '0'}${fraction}${verb}${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
}

function fixed(decimal: Decimal, precision: number): string {
  const { digits, point } = decimal
  const integer = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0'
  if (precision <= 0) return integer
  const fraction = point >= 0 ? digits.slice(point) : '0'.repeat(-point) + digits
  return `${integer}.${fraction.slice(0, precision).padEnd(precision, '0')}`
}

function decompose(magnitude: number): { readonly mantissa: bigint; readonly exponent: number } {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, magnitude)
  const raw = bits.getBigUint64(0)
  const biased = Number(raw >> BigInt(MANTISSA_BITS)) & MAX_EXPONENT
  const fraction = raw & MANTISSA_MASK
  const mantissa = biased === 0 ? fraction : fraction | (1n << BigInt(MANTISSA_BITS))
  return { mantissa, exponent: Math.max(biased, 1) - BIAS - MANTISSA_BITS }
}

function formatBinary(value: number, bits: 32 | 64): string {
  const { mantissa, exponent } = decompose(Math.abs(value))
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const dropped = bits === 32 ? 29 : 0
  const shift = exponent + dropped
  return `${sign}${mantissa >> BigInt(dropped)}p${shift < 0 ? '-' : '+'}${Math.abs(shift)}`
}

function formatHex(value: number, verb: 'x' | 'X', precision: number): string {
  const parts = decompose(Math.abs(value))
  let exponent = parts.mantissa === 0n ? 0 : parts.exponent + MANTISSA_BITS
  let mantissa = parts.mantissa << (HEX_BITS - BigInt(MANTISSA_BITS))
  while (mantissa !== 0n && mantissa >> HEX_BITS === 0n) {
    mantissa <<= 1n
    exponent--
  }
  if (precision >= 0 && precision < 15) {
    mantissa = roundHex(mantissa, precision)
    if (mantissa >> (HEX_BITS + 1n) !== 0n) {
      mantissa >>= 1n
      exponent++
    }
  }
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const text = `${sign}0x${mantissa >> HEX_BITS}${hexFraction(mantissa, precision)}p${hexExponent(exponent)}`
  return verb === 'X' ? text.toUpperCase() : text
}

function roundHex(mantissa: bigint, precision: number): bigint {
  const unit = HEX_BITS - BigInt(precision * 4)
  const extra = mantissa & ((1n << unit) - 1n)
  const kept = mantissa >> unit
  const half = 1n << (unit - 1n)
  const roundUp = extra > half || (extra === half && kept % 2n === 1n)
  return (roundUp ? kept + 1n : kept) << unit
}

function hexFraction(mantissa: bigint, precision: number): string {
  const digits = (mantissa & ((1n << HEX_BITS) - 1n)).toString(16).padStart(15, '0')
  const fraction = precision < 0 ? trimZeros(digits) : digits.slice(0, precision).padEnd(precision, '0')
  return fraction === '' ? '' : `.${fraction}`
}

function hexExponent(exponent: number): string {
  return (exponent < 0 ? '-' : '+') + String(Math.abs(exponent)).padStart(2, '0')
}
