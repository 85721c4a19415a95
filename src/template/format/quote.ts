import { at } from '../../util/at.js'
import { isAscii, isStrayByte, normalizeBytes } from './byte-string.js'
import { PRINTABLE_DELTAS } from './printable-table.js'

/** Runes at which printability changes, ascending: at even places it begins, at odd ones it ends. */
const PRINTABLE_CHANGES = decodeChanges()
const NEEDS_NO_ESCAPE = /^[ !#-[\]-~]*$/
const ESCAPES = new Map([
  [7, '\\a'],
  [8, '\\b'],
  [12, '\\f'],
  [10, '\\n'],
  [13, '\\r'],
  [9, '\\t'],
  [11, '\\v'],
])
/** Every byte in two hexadecimal digits. */
const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const QUOTE = 0x22
const BACKSLASH = 0x5c
const MAX_RUNE = 0x10ffff
const REPLACEMENT = 0xfffd

/** strconv.IsPrint and unicode.IsPrint of Go 1.24, independent of the runtime's own Unicode version. */
export function isPrint(rune: number): boolean {
  return rune < 0x7f ? rune >= 0x20 : changeAfter(rune) % 2 === 1
}

/** The index of the first change after a rune. */
function changeAfter(rune: number): number {
  let low = 0
  let high = PRINTABLE_CHANGES.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (at(PRINTABLE_CHANGES, middle) <= rune) low = middle + 1
    else high = middle
  }
  return low
}

/** strconv.Quote, or with `ascii` strconv.QuoteToASCII. */
export function quote(text: string, ascii = false): string {
  if (NEEDS_NO_ESCAPE.test(text)) return `"${text}"`
  return `"${escaped(normalizeBytes(text), ascii)}"`
}

/** Goes through the runes itself: a regular expression that calls back for each of them takes thirty times as long. */
function escaped(text: string, ascii: boolean): string {
  const printable = new PrintableRange()
  let quoted = ''
  let written = 0
  for (let index = 0; index < text.length; ) {
    const rune = text.codePointAt(index) ?? 0
    const end = index + (rune < 0x10000 ? 1 : 2)
    const isSpecial = rune === QUOTE || rune === BACKSLASH
    if (isSpecial || !(rune < 0x7f ? rune >= 0x20 : !ascii && printable.has(rune))) {
      if (index > written) quoted += text.slice(written, index)
      quoted += isSpecial
        ? `\\${text[index]}`
        : isStrayByte(rune)
          ? hexByte(rune - 0xdc00)
          : escapeUnprintable(rune)
      written = end
    }
    index = end
  }
  return quoted + text.slice(written)
}

/** The runes between two changes of printability that were asked about last: a text seldom leaves them. */
class PrintableRange {
  #from = 0
  #to = 0
  #isPrintable = false

  has(rune: number): boolean {
    if (rune >= this.#from && rune < this.#to) return this.#isPrintable
    const change = changeAfter(rune)
    this.#from = PRINTABLE_CHANGES[change - 1] ?? 0
    this.#to = PRINTABLE_CHANGES[change] ?? Number.POSITIVE_INFINITY
    this.#isPrintable = change % 2 === 1
    return this.#isPrintable
  }
}

/** strconv.QuoteRune; what is not a code point counts as U+FFFD. */
export function quoteRune(rune: number, ascii = false): string {
  return `'${escapeRune(isRune(rune) ? rune : REPLACEMENT, "'", ascii)}'`
}

/** The text of one rune, U+FFFD if it is not a code point. */
export function runeToString(rune: number): string {
  return String.fromCodePoint(isRune(rune) ? rune : REPLACEMENT)
}

/** strconv.CanBackquote. */
export function canBackquote(text: string): boolean {
  if (isAscii(text)) return !/[\0-\x08\x0a-\x1f`\x7f]/.test(text)
  const normal = normalizeBytes(text)
  return normal.isWellFormed() && !/[\0-\x08\x0a-\x1f`\x7f\ufeff]/.test(normal)
}

function isRune(rune: number): boolean {
  return rune >= 0 && rune <= MAX_RUNE && (rune < 0xd800 || rune > 0xdfff)
}

function escapeRune(rune: number, delimiter: string, ascii: boolean): string {
  if (rune === BACKSLASH || rune === delimiter.charCodeAt(0)) return `\\${String.fromCodePoint(rune)}`
  return (rune < 0x80 || !ascii) && isPrint(rune) ? String.fromCodePoint(rune) : escapeUnprintable(rune)
}

function escapeUnprintable(rune: number): string {
  if (rune < 0x20 || rune === 0x7f) return ESCAPES.get(rune) ?? hexByte(rune)
  if (!isRune(rune)) return '\\ufffd'
  return rune < 0x10000 ? `\\u${hex(rune, 4)}` : `\\U${hex(rune, 8)}`
}

function hexByte(byte: number): string {
  return `\\x${hex(byte, 2)}`
}

function hex(value: number, digits: number): string {
  let text = ''
  for (let shift = 4 * digits - 8; shift >= 0; shift -= 8) text += at(BYTES, (value >> shift) & 0xff)
  return text
}

function decodeChanges(): Uint32Array {
  let rune = 0
  return Uint32Array.from(PRINTABLE_DELTAS.split(' '), (delta) => {
    rune += Number.parseInt(delta, 36)
    return rune
  })
}
