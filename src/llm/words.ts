import type { Slicer } from '../util/slices/pause.js'

/** Characters between two looks at the clock. */
const STRETCH = 16_384

/** What is longer counts as several words. */
const LONGEST_WORD = 16_384

/** How many words a text has: each with the space before it, or one CJK character; space at the end counts as one. */
export async function countWords(text: string, slicer: Slicer): Promise<number> {
  let words = 0
  let lookAt = STRETCH
  for (let at = 0; at < text.length; words += 1) {
    at = endOfWord(text, at)
    if (at < lookAt) continue
    lookAt = at + STRETCH
    const turn = slicer.turn()
    if (turn !== undefined) await turn
  }
  return words
}

/** Cuts a text into pieces of this many words each. */
export function* piecesOf(text: string, wordsPerPiece = 1): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = start
    for (let word = 0; word < wordsPerPiece && end < text.length; word += 1) end = endOfWord(text, end)
    yield text.slice(start, end)
    start = end
  }
}

/** By hand: a pattern would look at a long run of spaces twice, and remember every one of them. */
function endOfWord(text: string, start: number): number {
  const limit = Math.min(text.length, start + LONGEST_WORD)
  let at = start
  while (at < limit && isSpace(text.charCodeAt(at))) at += 1
  if (at < limit && isWholeWord(text.charCodeAt(at))) return at + 1
  while (at < limit && !isBoundary(text.charCodeAt(at))) at += 1
  // Two halves of one character stay together.
  return at < text.length && isLowSurrogate(text.charCodeAt(at)) ? at + 1 : at
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

function isBoundary(code: number): boolean {
  return isSpace(code) || isWholeWord(code)
}

/** What `\s` matches. */
function isSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  if (code < 0x1680) return code === 0xa0
  if (code >= 0x2000 && code <= 0x200a) return true
  return [0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff].includes(code)
}

/** Kana, CJK ideographs and Hangul syllables. */
function isWholeWord(code: number): boolean {
  if (code < 0x3040) return false
  return code <= 0x30ff || (code >= 0x3400 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af)
}
