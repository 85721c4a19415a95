import { normalizeBytes } from '../format/byte-string.js'
import { RewriteCount } from '../format/rewrite-count.js'
import { checkRewritten } from '../format/size.js'
import { MAX_TRIMMED_CHARACTERS } from '../limits.js'
import { isSpace } from './letter-case.js'
import { characterLength } from './runes.js'

/** strings.TrimSpace. */
export function trimSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isSpaceAt(text, start)) start++
  while (end > start && isSpaceAt(text, end - 1)) end--
  return text.slice(start, end)
}

function isSpaceAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code < 0x80 ? code === 0x20 || (code >= 9 && code <= 13) : isSpace(text.charAt(index))
}

/** strings.Trim. @throws LimitError for more than one call may handle */
export function trimCharacters(characters: string, text: string): string {
  checkRewritten(characters, MAX_TRIMMED_CHARACTERS)
  const trimmed = new Set([...normalizeBytes(characters)].map((character) => character.codePointAt(0)))
  const normal = normalizeBytes(text)
  let start = 0
  let end = normal.length
  const count = new RewriteCount()
  while (start < end && trimmed.has(normal.codePointAt(start))) {
    start += characterLength(normal, start)
    count.one('')
  }
  while (end > start && trimmed.has(normal.codePointAt(startBefore(normal, end)))) {
    end = startBefore(normal, end)
    count.one('')
  }
  return normal.slice(start, end)
}

/** Where the character starts that ends here. */
function startBefore(text: string, end: number): number {
  return end > 1 && characterLength(text, end - 2) === 2 ? end - 2 : end - 1
}
