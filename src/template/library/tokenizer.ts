import { isInSlice, NotReady } from '../../util/slices/slice.js'
import { TokenEncoding } from './token-encoding.js'

/** Segments end at the first place after this many characters that no token spans. */
const SEGMENT = 256
/** Merging a run is quadratic in its length, so a longer run is cut anyway, at the price of an inexact count. */
const LONGEST_RUN = 320
/** Where no token can span: `isBoundary` says the same. */
const LINE_STARTS = /(?<=\n)(?=[^\s/])/
const LETTER = /\p{L}/u
const JOINER = /[^\p{L}\p{N}\s'’]| /u

/** Read when first needed, and then for all: it is data of the package, and many megabytes of it. */
const encoding = new TokenEncoding()

/** Has the encoding read in pieces, so that nobody waits for it; at once where it was read. */
export function loadEncoding(): Promise<void> | undefined {
  if (encoding.isLoaded) return undefined
  if (isInSlice()) throw new NotReady(encoding.load)
  return encoding.load()
}

/** The tokens of one segment. Special tokens such as `<|endoftext|>` are text like any other. */
export function encodeSegment(segment: string): number[] {
  return encoding.pairs.encode(segment)
}

/** The tokens of one segment, each by the offset at which it starts, in UTF-16 units; one inside a character is at that. */
export function tokenStarts(segment: string): readonly number[] {
  const { pairs } = encoding
  const starts: number[] = []
  let [unit, byte, nextByte] = [0, 0, 0]
  for (const token of pairs.encode(segment)) {
    while (byte + widthAt(segment, unit).bytes <= nextByte && unit < segment.length) {
      const { bytes, units } = widthAt(segment, unit)
      byte += bytes
      unit += units
    }
    starts.push(unit)
    nextByte += pairs.bytesOf(token)
  }
  return starts
}

/** How wide a character is; half a surrogate pair is written as U+FFFD. */
function widthAt(text: string, unit: number): { readonly bytes: number; readonly units: number } {
  const code = text.codePointAt(unit) ?? 0
  if (code > 0xffff) return { bytes: 4, units: 2 }
  return { bytes: code < 0x80 ? 1 : code < 0x800 ? 2 : 3, units: 1 }
}

/** The text of tokens, which may end inside a character. */
export function decodeTokens(tokens: readonly number[]): string {
  return encoding.pairs.decode(tokens)
}

/** Cuts a text after its lines, where each part encodes on its own to its part of the tokens of the whole. */
export function linesOf(text: string): readonly string[] {
  return text.split(LINE_STARTS)
}

/** Cuts a text into pieces that encode on their own to the tokens of the whole. */
export function* segmentsOf(text: string): Generator<string> {
  let start = 0
  while (text.length - start > SEGMENT) {
    const end = cutAfter(text, start + SEGMENT, Math.min(text.length, start + LONGEST_RUN))
    yield text.slice(start, end)
    start = end
  }
  if (start < text.length) yield text.slice(start)
}

function cutAfter(text: string, from: number, limit: number): number {
  for (let i = from; i < limit; i++) {
    if (isBoundary(text, i)) return i
  }
  // Not between the halves of a surrogate pair.
  const unit = text.charCodeAt(limit)
  return unit >= 0xdc00 && unit <= 0xdfff ? limit - 1 : limit
}

/** Tokens start at the character between two letters, and at a line after its line break. */
function isBoundary(text: string, index: number): boolean {
  const before = text.charAt(index - 1)
  const at = text.charAt(index)
  if (before === '\n') return !/[\s/]/.test(at)
  return JOINER.test(at) && LETTER.test(before) && LETTER.test(text.charAt(index + 1))
}
