/** Numbers as Go's strconv reads them, by scanners: a text of a million characters is gone through once at most. */

const MIN_INT64 = -(2n ** 63n)
const MAX_INT64 = 2n ** 63n - 1n
/** More, of any base, do not fit int64. */
const MAX_DIGITS = 64
const PREFIX_BASES: Readonly<Record<string, number>> = { x: 16, X: 16, o: 8, O: 8, b: 2, B: 2 }
const DIGIT_PREFIXES: Readonly<Record<number, string>> = { 2: '0b', 8: '0o', 10: '', 16: '0x' }
const SPECIAL_FLOAT = /^([+-]?)(?:(inf(?:inity)?)|(nan))$/i
/** The longest that it matches. */
const LONGEST_SPECIAL = '-infinity'.length
const NO_DIGIT = /[^0-9]/g
const NO_HEX_DIGIT = /[^0-9a-fA-F]/g
const NO_ZERO = /[^0]/g

const UNDERSCORE = 95
const POINT = 46
const ZERO = 48
const NINE = 57
const PLUS = 43
const MINUS = 45
/** Turns a letter of ASCII into the small one. */
const SMALL = 0x20
const SMALL_A = 97
const SMALL_E = 101
const SMALL_P = 112
const SMALL_X = 120

/** Digits in a text: where they start, in which base, and how underscores may separate them. */
interface Digits {
  readonly start: number
  readonly base: number
  readonly underscores: 'none' | 'between' | 'between and before'
}

/** strconv.ParseInt; undefined if the text is not such an integer or does not fit. */
export function parseInt64(text: string, base: number): bigint | undefined {
  const start = afterSign(text, 0)
  const magnitude = readDigits(text, base === 0 ? ownBase(text, start) : { start, base, underscores: 'none' })
  if (magnitude === undefined) return undefined
  const value = text.startsWith('-') ? -magnitude : magnitude
  return value < MIN_INT64 || value > MAX_INT64 ? undefined : value
}

/** strconv.ParseInt in base 10 without its error: the nearest int64 if the text is out of range, 0 if it is not an integer. */
export function clampedInt64(text: string): bigint {
  const start = afterSign(text, 0)
  if (start === text.length || afterDigits(text, start) < text.length) return 0n
  return parseInt64(text, 10) ?? (text.startsWith('-') ? MIN_INT64 : MAX_INT64)
}

/** strconv.ParseFloat; undefined if the text is not a number or overflows. */
export function parseFloat64(text: string): number | undefined {
  if (isDecimal(text)) return finite(Number(text))
  return (text.length <= LONGEST_SPECIAL ? parseSpecialFloat(text) : undefined) ?? parseHexFloat(text)
}

/** cast's rule: `8.00` parses as 8. */
export function trimZeroDecimal(text: string): string {
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) === ZERO) end -= 1
  return end < text.length && text.charCodeAt(end - 1) === POINT ? text.slice(0, end - 1) : text
}

/** The base that a text says itself, as the literals of Go do. */
function ownBase(text: string, start: number): Digits {
  if (text.charCodeAt(start) !== ZERO || text.length === start + 1)
    return { start, base: 10, underscores: 'between' }
  const base = PREFIX_BASES[text.charAt(start + 1)]
  return base === undefined
    ? { start: start + 1, base: 8, underscores: 'between and before' }
    : { start: start + 2, base, underscores: 'between and before' }
}

/** The integer from a place up to the end; undefined if something else is there, or too many digits. */
function readDigits(text: string, { start, base, underscores }: Digits): bigint | undefined {
  const first = nextOf(NO_ZERO, text, start)
  let digits = ''
  let isAfterDigit = first > start || underscores === 'between and before'
  for (let at = first; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === UNDERSCORE) {
      if (!isAfterDigit || underscores === 'none') return undefined
      isAfterDigit = false
      continue
    }
    if (!(digitOf(code) < base)) return undefined
    isAfterDigit = true
    if (digits === '' && code === ZERO) continue
    if (digits.length === MAX_DIGITS) return undefined
    digits += text.charAt(at)
  }
  if (start === text.length || !isAfterDigit) return undefined
  return BigInt(DIGIT_PREFIXES[base] + (digits === '' ? '0' : digits))
}

/** The digit of a code unit, in bases up to 16; NaN for any other. */
function digitOf(code: number): number {
  if (isDigit(code)) return code - ZERO
  const letter = (code | SMALL) - SMALL_A
  return letter >= 0 && letter < 6 ? letter + 10 : Number.NaN
}

function isDecimal(text: string): boolean {
  const start = afterSign(text, 0)
  let end = afterDigits(text, start)
  let count = end - start
  if (text.charCodeAt(end) === POINT) {
    const fraction = end + 1
    end = afterDigits(text, fraction)
    count += end - fraction
  }
  if (count === 0) return false
  if ((text.charCodeAt(end) | SMALL) === SMALL_E) {
    const exponent = afterSign(text, end + 1)
    end = afterDigits(text, exponent)
    if (end === exponent) return false
  }
  return end === text.length
}

function parseSpecialFloat(text: string): number | undefined {
  const special = SPECIAL_FLOAT.exec(text)
  if (special === null) return undefined
  if (special[3] !== undefined) return special[1] === '' ? Number.NaN : undefined
  return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

function parseHexFloat(text: string): number | undefined {
  const start = afterSign(text, 0)
  if (text.charCodeAt(start) !== ZERO || (text.charCodeAt(start + 1) | SMALL) !== SMALL_X) return undefined
  const integerEnd = afterHexDigits(text, start + 2)
  const hasPoint = text.charCodeAt(integerEnd) === POINT
  const fractionStart = hasPoint ? integerEnd + 1 : integerEnd
  const end = hasPoint ? afterHexDigits(text, fractionStart) : integerEnd
  if ((text.charCodeAt(end) | SMALL) !== SMALL_P) return undefined
  const exponentStart = afterSign(text, end + 1)
  if (exponentStart === text.length || afterDigits(text, exponentStart) < text.length) return undefined
  const digits = text.slice(start + 2, integerEnd) + text.slice(fractionStart, end)
  if (digits === '') return undefined
  const exponent = Number(text.slice(end + 1)) - 4 * (end - fractionStart)
  const value = Number(`0x${digits}`) * 2 ** exponent
  return finite(text.startsWith('-') ? -value : value)
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}

/** Where a text goes on after a sign, if there is one at a place. */
function afterSign(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code === PLUS || code === MINUS ? at + 1 : at
}

function afterDigits(text: string, start: number): number {
  return nextOf(NO_DIGIT, text, start)
}

function afterHexDigits(text: string, start: number): number {
  return nextOf(NO_HEX_DIGIT, text, start)
}

/** Where a pattern finds its next character: in long texts several times as fast as a loop. */
function nextOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex - 1 : text.length
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}
