import { at } from '../util/at.js'

/** How a text is written: as it is (perhaps folded and indented), in single or in double quotes. */
export type ScalarStyle = 'bare' | 'single' | 'double'

/** Escapes with digits, by their letter: how many follow. */
const DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }
const BLANK_ESCAPES = 'ntrfvbae0NL_P \t\n\r'

/**
 * The offset in the written form of a text that is reached when `before`, the beginning of the text itself, was
 * written. Every style writes the same visible characters in the same order, whatever it does to white space, so that
 * counting them leads to the place.
 */
export function offsetInScalar(written: string, style: ScalarStyle, before: string): number {
  let left = visibleIn(before)
  let last = 0
  let at = style === 'bare' ? 0 : 1
  const end = style === 'bare' ? written.length : written.length - 1
  while (at < end) {
    const length = style === 'bare' ? 1 : lengthOfPiece(written, at, style)
    const visible = visibleIn(textOfPiece(written.slice(at, at + length)))
    if (visible > 0 && left <= 0) return at
    left -= visible
    at += length
    if (visible > 0) last = at
  }
  return last
}

function visibleIn(text: string): number {
  return text.length - (text.match(/\s/g)?.length ?? 0)
}

/** One character as it is written: an escape has several. */
function lengthOfPiece(written: string, at: number, style: ScalarStyle): number {
  if (style === 'single') return written.startsWith("''", at) ? 2 : 1
  if (written[at] !== '\\') return 1
  return 2 + (DIGITS[written[at + 1] ?? ''] ?? 0)
}

function textOfPiece(piece: string): string {
  if (piece.length === 1) return piece
  if (piece === "''") return "'"
  const letter = at(piece, 1)
  if (Object.hasOwn(DIGITS, letter)) return fromCode(Number.parseInt(piece.slice(2), 16))
  return BLANK_ESCAPES.includes(letter) ? blankOf(letter) : letter
}

/** The character that the escape produces, as far as it matters whether that is white space. */
function blankOf(letter: string): string {
  return 'bae0'.includes(letter) ? '\0' : ' '
}

function fromCode(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
}
