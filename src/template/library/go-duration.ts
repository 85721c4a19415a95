import { withoutTrailing } from '../../util/text/without-trailing.js'
import { GoError } from '../format/go-error.js'
import { quoteAscii } from './quote-ascii.js'

const MICROSECOND = 1_000n
const MILLISECOND = 1_000_000n
/** Nanoseconds. */
export const SECOND = 1_000_000_000n
const MINUTE = 60n * SECOND
const HOUR = 60n * MINUTE
const MAX_DURATION = 2n ** 63n - 1n
const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', MICROSECOND],
  ['µs', MICROSECOND],
  ['μs', MICROSECOND],
  ['ms', MILLISECOND],
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
])
/** More do not fit int64. */
const MAX_DIGITS = 19
const TERM = /^([0-9]*)(?:\.([0-9]*))?([^.0-9]*)/

/** time.ParseDuration in nanoseconds. @throws GoError with Go's words */
export function parseDuration(text: string): bigint {
  const negative = text.startsWith('-')
  let rest = text.replace(/^[+-]/, '')
  if (rest === '0') return 0n
  if (rest === '') throw invalid(text)
  let total = 0n
  while (rest !== '') {
    const [term = '', integer = '', fraction = '', unit = ''] = TERM.exec(rest) ?? []
    if (integer === '' && fraction === '') throw invalid(text)
    if (unit === '') throw new GoError(`time: missing unit in duration ${quoteAscii(text)}`)
    total += termValue(integer, fraction, unit, text)
    rest = rest.slice(term.length)
  }
  if (total > MAX_DURATION) throw invalid(text)
  return negative ? -total : total
}

/** time.Duration's String. */
export function formatDuration(duration: bigint): string {
  const sign = duration < 0n ? '-' : ''
  const magnitude = duration < 0n ? -duration : duration
  if (magnitude === 0n) return '0s'
  if (magnitude < MICROSECOND) return `${sign}${magnitude}ns`
  if (magnitude < MILLISECOND) return `${sign}${decimal(magnitude, MICROSECOND)}µs`
  if (magnitude < SECOND) return `${sign}${decimal(magnitude, MILLISECOND)}ms`
  const hours = magnitude / HOUR
  const minutes = (magnitude % HOUR) / MINUTE
  const seconds = `${decimal(magnitude % MINUTE, SECOND)}s`
  if (hours > 0n) return `${sign}${hours}h${minutes}m${seconds}`
  return minutes > 0n ? `${sign}${minutes}m${seconds}` : sign + seconds
}

function termValue(integer: string, fraction: string, unit: string, text: string): bigint {
  const size = UNITS.get(unit)
  if (size === undefined)
    throw new GoError(`time: unknown unit ${quoteAscii(unit)} in duration ${quoteAscii(text)}`)
  const digits = integer.replace(/^0+/, '')
  if (digits.length > MAX_DIGITS) throw invalid(text)
  const kept = fraction.slice(0, MAX_DIGITS)
  return BigInt(digits) * size + (BigInt(kept) * size) / 10n ** BigInt(kept.length)
}

function decimal(value: bigint, unit: bigint): string {
  const width = unit.toString().length - 1
  const fraction = withoutTrailing((value % unit).toString().padStart(width, '0'), '0')
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`
}

function invalid(text: string): GoError {
  return new GoError(`time: invalid duration ${quoteAscii(text)}`)
}
