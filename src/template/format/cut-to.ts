import { normalizeBytes } from './byte-string.js'

/** Units of the longest character: bytes that are one together. */
const LONGEST_CHARACTER = 4

/** A beginning of a text with at least this number of bytes, or all of it: no unit is less than a byte. */
export function bytesFromStart(text: string, bytes: number): string {
  return text.slice(0, bytes + LONGEST_CHARACTER)
}

/** A text cut to this number of characters; no more of it is read. A negative precision cuts nothing. */
export function cutToCharacters(text: string, precision: number): string {
  if (precision < 0 || text.length <= precision) return text
  let kept = ''
  let count = 0
  for (const character of normalizeBytes(text.slice(0, (precision + 1) * LONGEST_CHARACTER))) {
    if (++count > precision) return kept
    kept += character
  }
  return text
}
