import { MAX_REWRITTEN_PLACES } from '../limits.js'
import { RewriteCount } from './rewrite-count.js'

/**
 * The text with what a global pattern finds replaced. In pieces, as the JavaScript engine finds all places of a text
 * before it asks for the first replacement: what the pattern finds may be cut in two, but never a character.
 *
 * @param shared counts the places of all texts that one call rewrites; default: of this one
 * @throws LimitError if there are more places than one call may replace
 */
export function rewrite(
  text: string,
  pattern: RegExp,
  replacement: (found: string) => string,
  shared?: RewriteCount,
): string {
  if (text.length <= MAX_REWRITTEN_PLACES && shared === undefined) return text.replace(pattern, replacement)
  const count = shared ?? new RewriteCount()
  const counted = (found: string) => count.one(replacement(found))
  let rewritten = ''
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start)
    rewritten += text.slice(start, end).replace(pattern, counted)
    start = end
  }
  return rewritten
}

function endOfPiece(text: string, start: number): number {
  const end = Math.min(start + MAX_REWRITTEN_PLACES, text.length)
  const isInside = end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff
  return isInside ? end + 1 : end
}
