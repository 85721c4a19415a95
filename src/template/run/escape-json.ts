import type { SeenTexts } from '../fast/known-ascii.js'

const NEEDS_ESCAPE = /["\\\x00-\x1f]/
/** Finds what is escaped, or is not ASCII. */
const UNUSUAL = /[^ !#-[\]-\x7f]/
/** Below this length a loop over the characters is faster than a regular expression (`bench:template`, as the service renders). */
const VERY_SHORT = 14
/** Up to this length, the loop is faster than JSON.stringify. */
const SHORT = 400
const QUOTE = 0x22
const BACKSLASH = 0x5c
const LAST_ASCII = 0x7f
const ESCAPES = Array.from({ length: BACKSLASH + 1 }, (_, code) =>
  JSON.stringify(String.fromCharCode(code)).slice(1, -1),
)

/** The text as the inside of a JSON string; lone surrogates stay, for the output to resolve. */
export function escapeJson(text: string, seen: SeenTexts): string {
  if (text.length < VERY_SHORT) return escapeFrom(text, 0, seen)
  if (text.length <= SHORT) {
    // In one piece first: of a rope an expression finds nothing but by way of the engine's runtime.
    text.charCodeAt(0)
    const first = text.search(UNUSUAL)
    return first < 0 ? text : escapeFrom(text, first, seen)
  }
  if (Buffer.byteLength(text) > text.length) seen.isAscii = false
  if (!NEEDS_ESCAPE.test(text)) return text
  return text.isWellFormed() ? JSON.stringify(text).slice(1, -1) : escapeFrom(text, 0, seen)
}

/** @param start before which nothing is escaped, and everything is ASCII */
function escapeFrom(text: string, start: number, seen: SeenTexts): string {
  let escaped = ''
  let last = 0
  let bits = 0
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    bits |= code
    if (code > BACKSLASH || (code >= 0x20 && code !== QUOTE && code !== BACKSLASH)) continue
    escaped += text.slice(last, i) + ESCAPES[code]
    last = i + 1
  }
  if (bits > LAST_ASCII) seen.isAscii = false
  return last === 0 ? text : escaped + text.slice(last)
}
