import { MAX_PADDING } from '../limits.js'
import { Complex, Typed, type Value } from '../value.js'
import { normalizeBytes, runeCount, sortedKeys, toBytes } from './byte-string.js'
import { bytesFromStart, cutToCharacters } from './cut-to.js'
import { type FloatVerb, formatFloat } from './float.js'
import { checkNesting, POINTER_TEXT } from './format-value.js'
import { checkWidth, LimitError } from './go-error.js'
import { elementOf, elementsOf, entriesOf, itemsOf, kindOf, numberOf, Stringer, typeName } from './kind.js'
import type { Printing } from './printing.js'
import { ownText } from './prints-as.js'
import { canBackquote, isPrint, quote, quoteRune, runeToString } from './quote.js'
import { checkDigits, checkRewritten } from './size.js'

/** The flags, width and precision of one verb; −1 means that width or precision is not given. */
export interface Flags {
  readonly plus: boolean
  readonly minus: boolean
  readonly sharp: boolean
  readonly space: boolean
  readonly zero: boolean
  /** `%+v`. */
  readonly plusV: boolean
  /** `%#v`. */
  readonly sharpV: boolean
  readonly width: number
  readonly precision: number
}

/** A verb without flags. */
export const NO_FLAGS: Flags = {
  plus: false,
  minus: false,
  sharp: false,
  space: false,
  zero: false,
  plusV: false,
  sharpV: false,
  width: -1,
  precision: -1,
}

const MAX_RUNE = 0x10ffffn

/** One run of printf: prints values with verbs and keeps count of the padding. */
export class VerbPrinter {
  readonly #printing: Printing
  #padding = 0

  constructor(printing: Printing) {
    this.#printing = printing
  }

  /** The value as one verb prints it: Go's printArg. */
  print(flags: Flags, verb: string, value: Value): string {
    checkWidth(Math.max(flags.width, flags.precision), this.#printing.maxWidth)
    if (value === null || value === undefined) {
      return verb === 'T' || verb === 'v' ? this.#pad(flags, '<nil>') : this.#complain(`%!${verb}(<nil>)`)
    }
    if (verb === 'T') return this.#string(flags, typeName(value))
    if (verb === 'p') return this.#pointer(flags, verb, value)
    return this.#value(flags, verb, value, 0)
  }

  #value(flags: Flags, verb: string, value: Value, depth: number): string {
    checkNesting(depth)
    if (verb === 'w' && isComposite(value)) return this.#bad(flags, verb, value)
    if (value instanceof Stringer) return this.#stringer(flags, verb, value)
    if (typeof value === 'string') return this.#text(flags, verb, value)
    if (value instanceof Complex) return this.#complex(flags, verb, value)
    const own = flags.sharpV || !'vsxXq'.includes(verb) ? undefined : ownText(value)
    if (own !== undefined) return this.#text(flags, verb, own)
    switch (kindOf(value)) {
      case 'int':
      case 'uint':
        return this.#integer(flags, verb, value)
      case 'float':
        return this.#float(flags, verb, value)
      case 'bool':
        return verb === 't' || verb === 'v'
          ? this.#pad(flags, value ? 'true' : 'false')
          : this.#bad(flags, verb, value)
      case 'slice':
        return this.#list(flags, verb, value, depth)
      case 'map':
        return this.#map(flags, verb, value, depth)
      case 'invalid':
        return flags.sharpV ? 'interface {}(nil)' : '<nil>'
      default:
        return this.#pointer(flags, verb, value)
    }
  }

  #bad(flags: Flags, verb: string, value: Value): string {
    return this.#complain(`%!${verb}(${typeName(value)}=${this.#value(flags, 'v', value, 0)})`)
  }

  #complain(printed: string): string {
    this.#printing.onBadVerb?.(printed)
    return printed
  }

  #stringer(flags: Flags, verb: string, value: Stringer): string {
    if ('vsxXq'.includes(verb)) return this.#text(flags, verb, value.text())
    if (kindOf(value) === 'invalid') return this.#pad(flags, value.text())
    return kindOf(value) === 'int' ? this.#integer(flags, verb, value) : this.#bad(flags, verb, value)
  }

  #list(flags: Flags, verb: string, value: Value, depth: number): string {
    if (value instanceof Typed && value.type === '[]uint8' && 'sqxX'.includes(verb)) {
      return this.#text(flags, verb, bytesToText(itemsOf(value).map(Number)))
    }
    const separator = flags.sharpV ? ', ' : ' '
    let text = flags.sharpV ? `${byteSliceName(value, depth)}{` : '['
    let between = ''
    for (const item of elementsOf(value)) {
      // Not joined at every depth: what is added is copied once, at the end.
      text += between + this.#value(flags, verb, item, depth + 1)
      between = separator
    }
    return text + (flags.sharpV ? '}' : ']')
  }

  #map(flags: Flags, verb: string, value: Value, depth: number): string {
    const entries = entriesOf(value)
    const separator = flags.sharpV ? ', ' : ' '
    let text = flags.sharpV ? `${typeName(value)}{` : 'map['
    let between = ''
    for (const key of sortedKeys(entries)) {
      text += `${between}${this.#text(flags, verb, key)}:`
      text += this.#value(flags, verb, elementOf(value, entries[key]), depth + 1)
      between = separator
    }
    return text + (flags.sharpV ? '}' : ']')
  }

  #pointer(flags: Flags, verb: string, value: Value): string {
    const kind = kindOf(value)
    const isPointer = kind === 'func' || kind === 'map' || kind === 'slice' || kind === 'pointer'
    if (!isPointer) return this.#bad(flags, verb, value)
    return this.#pad(flags, flags.sharp ? POINTER_TEXT.slice(2) : POINTER_TEXT)
  }

  #text(flags: Flags, verb: string, text: string): string {
    switch (verb) {
      case 's':
        return this.#string(flags, text)
      case 'v':
        return flags.sharpV ? this.#quoted(flags, text) : this.#string(flags, text)
      case 'q':
        return this.#quoted(flags, text)
      case 'x':
        return this.#hex(flags, text)
      case 'X':
        return this.#hex(flags, text).toUpperCase()
      default:
        return this.#bad(flags, verb, text)
    }
  }

  #string(flags: Flags, text: string): string {
    return this.#pad(flags, cutToCharacters(text, flags.precision))
  }

  #quoted(flags: Flags, text: string): string {
    const kept = cutToCharacters(text, flags.precision)
    checkRewritten(kept)
    if (flags.sharp && canBackquote(kept)) return this.#pad(flags, `\`${kept}\``)
    return this.#pad(flags, quote(kept, flags.plus))
  }

  #hex(flags: Flags, text: string): string {
    const bytes = toBytes(flags.precision < 0 ? text : bytesFromStart(text, flags.precision))
    const count = flags.precision >= 0 ? Math.min(flags.precision, bytes.length) : bytes.length
    checkDigits(count)
    const digits = Buffer.from(bytes.buffer, bytes.byteOffset, count).toString('hex')
    const lead = flags.sharp && count > 0 ? '0x' : ''
    return this.#pad(flags, lead + (flags.space ? inPairs(digits, ` ${lead}`) : digits))
  }

  #integer(flags: Flags, verb: string, value: Value): string {
    switch (verb) {
      case 'd':
        return this.#digits(flags, verb, value, 10)
      case 'v':
        return flags.sharpV && kindOf(value) === 'uint'
          ? this.#digits({ ...flags, sharp: true }, verb, value, 16)
          : this.#digits(flags, verb, value, 10)
      case 'x':
      case 'X':
        return this.#digits(flags, verb, value, 16)
      case 'o':
      case 'O':
        return this.#digits(flags, verb, value, 8)
      case 'b':
        return this.#digits(flags, verb, value, 2)
      case 'c':
        return this.#pad(flags, runeToString(toRune(value)))
      case 'q':
        return this.#pad(flags, quoteRune(toRune(value), flags.plus))
      case 'U':
        return this.#unicode(flags, value)
      default:
        return this.#adapted(flags, verb, value) ?? this.#bad(flags, verb, value)
    }
  }

  /** An integer under a verb for floats only; undefined for other values, or if integers do not adapt. */
  #adapted(flags: Flags, verb: string, value: Value): string | undefined {
    if (!this.#printing.adaptsNumbers) return undefined
    return this.#floatText(flags, verb, Number(numberOf(value)), 64)
  }

  #digits(flags: Flags, verb: string, value: Value, base: 2 | 8 | 10 | 16): string {
    const number = numberOf(value)
    const negative = number < 0
    if (flags.precision === 0 && (number === 0 || number === 0n)) {
      return flags.width > 0 ? this.#spaces(flags.width) : ''
    }
    const digits = magnitudeText(number, base)
    const zeros = this.#zeros(minimumDigits(flags, negative) - digits.length)
    const text = integerPrefix(flags, verb, base, zeros + digits) + zeros + digits
    const sign = negative ? '-' : flags.plus ? '+' : flags.space ? ' ' : ''
    return this.#padSpaces(flags, sign + (verb === 'X' ? text.toUpperCase() : text))
  }

  #unicode(flags: Flags, value: Value): string {
    const code = BigInt.asUintN(64, BigInt(numberOf(value)))
    const digits = code.toString(16).toUpperCase()
    const zeros = this.#zeros(Math.max(flags.precision, 4) - digits.length)
    const isShown = flags.sharp && code <= MAX_RUNE && isPrint(Number(code))
    const shown = isShown ? ` '${runeToString(Number(code))}'` : ''
    return this.#padSpaces(flags, `U+${zeros}${digits}${shown}`)
  }

  #float(flags: Flags, verb: string, value: Value): string {
    const bits = value instanceof Typed && value.type === 'float32' ? 32 : 64
    return this.#floatText(flags, verb, Number(numberOf(value)), bits) ?? this.#bad(flags, verb, value)
  }

  /** The imaginary part always has a sign. */
  #complex(flags: Flags, verb: string, value: Complex): string {
    const real = this.#floatText(flags, verb, value.real, 64)
    const imaginary = this.#floatText({ ...flags, plus: true }, verb, value.imaginary, 64)
    return real === undefined ? this.#bad(flags, verb, value) : `(${real}${imaginary}i)`
  }

  /** Undefined if the verb is not for floats. */
  #floatText(flags: Flags, verb: string, value: number, bits: 32 | 64): string | undefined {
    const [strconvVerb, precision] = floatVerb(verb)
    if (strconvVerb === '') return undefined
    const wanted = flags.precision >= 0 ? flags.precision : precision
    return this.#padFloat(flags, strconvVerb, formatFloat(value, strconvVerb, wanted, bits), wanted)
  }

  #padFloat(flags: Flags, verb: FloatVerb, plain: string, precision: number): string {
    const isSigned = plain.startsWith('-') || plain.startsWith('+')
    const sign = plain.startsWith('-') ? '-' : flags.plus ? '+' : flags.space ? ' ' : ''
    const unsigned = isSigned ? plain.slice(1) : plain
    if (unsigned === 'Inf' || unsigned === 'NaN') return this.#infinite(flags, plain, unsigned)
    const number = flags.sharp && verb !== 'b' ? withPoint(unsigned, verb, precision) : unsigned
    const isZeroPadded = flags.zero && !flags.minus && sign !== ''
    if (!isZeroPadded) return this.#pad(flags, sign + number)
    return sign + this.#zeros(flags.width - number.length - 1) + number
  }

  /** Infinities and NaN are never padded with zeros; a bare +Inf keeps its sign unless Go drops it. */
  #infinite(flags: Flags, plain: string, unsigned: string): string {
    const positive = flags.space && !flags.plus ? ' ' : '+'
    const isPlainNaN = unsigned === 'NaN' && !flags.space && !flags.plus
    const sign = isPlainNaN ? '' : plain.startsWith('-') ? '-' : positive
    return this.#padSpaces(flags, sign + unsigned)
  }

  #pad(flags: Flags, text: string): string {
    if (flags.width <= 0) return text
    const missing = flags.width - runeCount(text)
    if (missing <= 0) return text
    if (flags.minus) return text + this.#spaces(missing)
    return (flags.zero ? this.#zeros(missing) : this.#spaces(missing)) + text
  }

  #padSpaces(flags: Flags, text: string): string {
    const missing = flags.width - runeCount(text)
    if (missing <= 0) return text
    return flags.minus ? text + this.#spaces(missing) : this.#spaces(missing) + text
  }

  #spaces(count: number): string {
    return this.#filling(' ', count)
  }

  #zeros(count: number): string {
    return count > 0 ? this.#filling('0', count) : ''
  }

  #filling(character: string, count: number): string {
    this.#padding += count
    if (this.#padding > MAX_PADDING)
      throw new LimitError('width', `more than ${MAX_PADDING} bytes of padding`)
    return character.repeat(count)
  }
}

/** Digits of bytes with something between each two. */
function inPairs(digits: string, between: string): string {
  const text = Buffer.from(`${between}00`.repeat(digits.length / 2), 'latin1')
  let at = 0
  for (let i = 0; i < digits.length; i += 2) {
    at += between.length
    text[at++] = digits.charCodeAt(i)
    text[at++] = digits.charCodeAt(i + 1)
  }
  return text.toString('latin1', between.length)
}

function isComposite(value: Value): boolean {
  const kind = kindOf(value)
  return kind === 'slice' || kind === 'map' || kind === 'struct' || kind === 'pointer' || kind === 'func'
}

/** At the top level Go spells `[]uint8` as `[]byte`. */
function byteSliceName(value: Value, depth: number): string {
  const name = typeName(value)
  return name === '[]uint8' && depth === 0 ? '[]byte' : name
}

function bytesToText(bytes: readonly number[]): string {
  return normalizeBytes(bytes.map((byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)).join(''))
}

/** The rune of an integer as %c takes it: an invalid code point becomes U+FFFD. */
function toRune(value: Value): number {
  const number = numberOf(value)
  return number >= 0 && number <= MAX_RUNE ? Number(number) : -1
}

function magnitudeText(number: number | bigint, base: number): string {
  if (typeof number === 'number' && Number.isSafeInteger(number)) return Math.abs(number).toString(base)
  const integer = BigInt(number)
  return (integer < 0n ? -integer : integer).toString(base)
}

function minimumDigits(flags: Flags, negative: boolean): number {
  if (flags.precision >= 0) return flags.precision
  if (!flags.zero || flags.minus || flags.width < 0) return 0
  return negative || flags.plus || flags.space ? flags.width - 1 : flags.width
}

function integerPrefix(flags: Flags, verb: string, base: number, digits: string): string {
  let prefix = ''
  if (flags.sharp && base === 2) prefix = '0b'
  if (flags.sharp && base === 8 && !digits.startsWith('0')) prefix = '0'
  if (flags.sharp && base === 16) prefix = '0x'
  return verb === 'O' ? `0o${prefix}` : prefix
}

function floatVerb(verb: string): readonly [FloatVerb | '', number] {
  switch (verb) {
    case 'v':
      return ['g', -1]
    case 'b':
    case 'g':
    case 'G':
    case 'x':
    case 'X':
      return [verb, -1]
    case 'f':
    case 'e':
    case 'E':
      return [verb, 6]
    case 'F':
      return ['f', 6]
    default:
      return ['', 0]
  }
}

/** The `#` flag: a decimal point always, and the zeros that %g removed. */
function withPoint(number: string, verb: FloatVerb, precision: number): string {
  const isHex = verb === 'x' || verb === 'X'
  const at = number.search(isHex ? /[pP]/ : /[eE]/)
  const head = at < 0 ? number : number.slice(0, at)
  const tail = at < 0 ? '' : number.slice(at)
  const hasPoint = head.includes('.')
  let digits = verb === 'g' || verb === 'G' || verb === 'x' ? (precision === -1 ? 6 : precision) : 0
  digits -= significantDigits(head)
  if (!hasPoint && head === '0') digits--
  return head + (hasPoint ? '' : '.') + '0'.repeat(Math.max(digits, 0)) + tail
}

/** Characters from the first that is not a zero, the point apart, as Go counts them (the x of 0x included). */
function significantDigits(head: string): number {
  return head.replace('.', '').replace(/^0+/, '').length
}
