import { isAscii, normalizeBytes, runeCount } from '../format/byte-string.js'

const LEFT_OUT = '...'

/** The first characters, or the last if the count is negative. */
export function truncateRunes(count: number, text: string): string {
  const whole = normalizeBytes(text)
  if (count >= 0) return whole.slice(0, offsetOf(whole, count))
  return whole.slice(offsetOf(whole, Math.max(0, runeCount(whole) + count)))
}

/** The characters from start to end, as Sprig's substr takes bytes: a negative end is the end of the text. */
export function substringRunes(start: number, end: number, text: string): string {
  const whole = normalizeBytes(text)
  const from = offsetOf(whole, Math.max(0, start))
  const to = end < 0 ? whole.length : offsetOf(whole, end)
  return whole.slice(from, Math.max(from, to))
}

/** The text, shortened to at most this many characters, including the mark for what was left out. */
export function abbreviateRunes(width: number, text: string): string {
  const whole = normalizeBytes(text)
  if (width <= LEFT_OUT.length || offsetOf(whole, width) === whole.length) return text
  return whole.slice(0, offsetOf(whole, width - LEFT_OUT.length)) + LEFT_OUT
}

/** Where the n-th character starts, in UTF-16 units; the end of the text if it has fewer. */
function offsetOf(text: string, count: number): number {
  if (count >= text.length || isAscii(text)) return Math.min(count, text.length)
  let offset = 0
  for (let i = 0; i < count && offset < text.length; i++) {
    offset += characterLength(text, offset)
  }
  return offset
}

/** UTF-16 units of the character that starts here. */
export function characterLength(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1
}
