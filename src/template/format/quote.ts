import { at } from '../../util/at.js'
import { isAscii, isStrayByte, normalizeBytes } from './byte-string.js'
import { PRINTABLE_DELTAS } from './printable-table.js'
import { rewrite } from './rewrite.js'
import { RewriteCount } from './rewrite-count.js'

/** Runes at which printability changes, ascending: at even places it begins, at odd ones it ends. */
const PRINTABLE_CHANGES = decodeChanges()
const NEEDS_NO_ESCAPE = /^[ !#-[\]-~]*$/
const MAY_NEED_ESCAPE = /[^ !#-[\]-~]/gu
/** What may need an escape, without ranges of letters that Go prints as they are: most texts are made of these. */
const RARE =
  /[^ !#-[\]-~\u00a1-\u00ac\u00ae-\u0377\u0400-\u052f\u3041-\u3096\u4e00-\u9fff\uac00-\ud7a3\uff01-\uffbe\u{1f300}-\u{1f6d7}]/gu
const ESCAPES = new Map([
  [7, '\\a'],
  [8, '\\b'],
  [12, '\\f'],
  [10, '\\n'],
  [13, '\\r'],
  [9, '\\t'],
  [11, '\\v'],
])
const MAX_RUNE = 0x10ffff
const REPLACEMENT = 0xfffd

/** strconv.IsPrint and unicode.IsPrint of Go 1.24, independent of the runtime's own Unicode version. */
export function isPrint(rune: number): boolean {
  if (rune < 0x7f) return rune >= 0x20
  let low = 0
  let high = PRINTABLE_CHANGES.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (at(PRINTABLE_CHANGES, middle) <= rune) low = middle + 1
    else high = middle
  }
  return low % 2 === 1
}

/** strconv.Quote, or with `ascii` strconv.QuoteToASCII. @param shared counts what one call escapes in several texts */
export function quote(text: string, ascii = false, shared?: RewriteCount): string {
  if (NEEDS_NO_ESCAPE.test(text)) return `"${text}"`
  const escapeCharacter = (character: string) => {
    const code = character.codePointAt(0) ?? 0
    return isStrayByte(code) ? hexByte(code - 0xdc00) : escapeRune(code, '"', ascii)
  }
  return `"${rewrite(normalizeBytes(text), ascii ? MAY_NEED_ESCAPE : RARE, escapeCharacter, shared)}"`
}

/** Several texts in one call, each quoted. @throws LimitError if there is too much to escape in all of them together */
export function quoteAll(texts: readonly string[]): readonly string[] {
  const shared = texts.length > 1 ? new RewriteCount() : undefined
  return texts.map((text) => quote(text, false, shared))
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
  const character = String.fromCodePoint(rune)
  if (character === delimiter || rune === 0x5c) return `\\${character}`
  if (isPrint(rune) && (rune < 0x80 || !ascii)) return character
  const known = ESCAPES.get(rune)
  if (known !== undefined) return known
  if (rune < 0x20 || rune === 0x7f) return hexByte(rune)
  if (!isRune(rune)) return '\\ufffd'
  return rune < 0x10000 ? `\\u${hex(rune, 4)}` : `\\U${hex(rune, 8)}`
}

function hexByte(byte: number): string {
  return `\\x${hex(byte, 2)}`
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

function decodeChanges(): Uint32Array {
  let rune = 0
  return Uint32Array.from(PRINTABLE_DELTAS.split(' '), (delta) => {
    rune += Number.parseInt(delta, 36)
    return rune
  })
}
