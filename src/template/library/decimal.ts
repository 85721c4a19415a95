import { GoError } from '../format/go-error.js'

/** A decimal number: `coefficient` × 10^`exponent`. */
export interface Decimal {
  readonly coefficient: bigint
  readonly exponent: number
}

/** Digits after the point that a division keeps. */
const DIVISION_PRECISION = 16

/** The shortest decimal that reads back as the float64. */
export function toDecimal(value: number): Decimal {
  if (!Number.isFinite(value)) throw new GoError(`Cannot create a Decimal from ${goName(value)}`)
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  const [integer = '0', fraction = ''] = mantissa.split('.')
  return { coefficient: BigInt(integer + fraction), exponent: Number(exponent) - fraction.length }
}

/** The nearest float64. */
export function toDouble({ coefficient, exponent }: Decimal): number {
  return Number(`${coefficient}e${exponent}`)
}

/** Exact. */
export function add(a: Decimal, b: Decimal): Decimal {
  const exponent = Math.min(a.exponent, b.exponent)
  return { coefficient: scaled(a, exponent) + scaled(b, exponent), exponent }
}

/** Exact. */
export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, { coefficient: -b.coefficient, exponent: b.exponent })
}

/** Exact. */
export function multiply(a: Decimal, b: Decimal): Decimal {
  return { coefficient: a.coefficient * b.coefficient, exponent: a.exponent + b.exponent }
}

/** Rounded half away from zero to sixteen decimal places. */
export function divide(a: Decimal, b: Decimal): Decimal {
  if (b.coefficient === 0n) throw new GoError('decimal division by 0')
  const shift = a.exponent - b.exponent + DIVISION_PRECISION
  const numerator = shift >= 0 ? a.coefficient * 10n ** BigInt(shift) : a.coefficient
  const denominator = shift >= 0 ? b.coefficient : b.coefficient * 10n ** BigInt(-shift)
  return { coefficient: roundedQuotient(numerator, denominator), exponent: -DIVISION_PRECISION }
}

function roundedQuotient(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  const remainder = numerator % denominator
  if (magnitude(remainder) * 2n < magnitude(denominator)) return quotient
  return numerator < 0n !== denominator < 0n ? quotient - 1n : quotient + 1n
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value
}

function scaled(value: Decimal, exponent: number): bigint {
  return value.coefficient * 10n ** BigInt(value.exponent - exponent)
}

function goName(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}
