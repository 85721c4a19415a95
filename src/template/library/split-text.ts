import { normalizeBytes } from '../format/byte-string.js'
import { checkLength, LimitError } from '../format/go-error.js'
import { MAX_REPLACED_PARTS } from '../limits.js'
import { characterLength } from './runes.js'

/**
 * strings.ReplaceAll; an empty old text is found before and after every rune.
 *
 * @throws LimitError for more places, or a longer text, than one call may make
 */
export function replaceAll(old: string, replacement: string, text: string): string {
  const places = placesOf(text, old, MAX_REPLACED_PARTS)
  checkLength(text.length + places * replacement.length)
  if (old === '') return ['', ...normalizeBytes(text), ''].join(replacement)
  // Several times as fast as to split and to join; a function, as a text may not have `$` in it.
  return text.replaceAll(old, () => replacement)
}

/**
 * strings.SplitN: up to `count` parts, all of them for −1.
 *
 * @throws LimitError if there are more than `most`
 */
export function splitText(text: string, separator: string, count: number, most: number): readonly string[] {
  if (count === 0) return []
  if (count > 0) return splitStart(text, separator, count, most)
  placesOf(text, separator, most)
  return separator === '' ? [...normalizeBytes(text)] : text.split(separator)
}

/** As many parts as asked for, the last with all the rest. */
function splitStart(text: string, separator: string, count: number, most: number): readonly string[] {
  const whole = separator === '' ? normalizeBytes(text) : text
  const parts: string[] = []
  let start = 0
  while (parts.length < count - 1) {
    const end = separator === '' ? endOfRune(whole, start) : whole.indexOf(separator, start)
    if (end < 0) break
    if (parts.length >= most) throw tooManyParts(most)
    parts.push(whole.slice(start, end))
    start = end + separator.length
  }
  if (separator !== '' || start < whole.length) parts.push(whole.slice(start))
  return parts
}

/** Where the rune ends that starts here, −1 if none is left after it. */
function endOfRune(text: string, start: number): number {
  const end = start + characterLength(text, start)
  return end < text.length ? end : -1
}

/**
 * How often a part is found in a text, an empty one once for each rune.
 *
 * @throws LimitError before more are counted than one call may handle
 */
function placesOf(text: string, part: string, most: number): number {
  if (part === '') {
    if (text.length > most) throw tooManyParts(most)
    return text.length
  }
  let count = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    if (++count > most) throw tooManyParts(most)
  }
  return count
}

function tooManyParts(most: number): LimitError {
  return new LimitError('width', `text with more than ${most} parts`)
}
