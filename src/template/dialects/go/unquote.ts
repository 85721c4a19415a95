import { toBytes } from '../../format/byte-string.js'
import { fromBytes } from '../../format/from-bytes.js'

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
])
const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|([abfnrtv\\'"]))/y
const MAX_RUNE = 0x10ffff

/** One unquoted character: a rune, or a byte given by `\x` or octal digits. */
interface Unquoted {
  readonly text: string
  readonly code: number
  readonly isByte: boolean
  readonly end: number
}

/**
 * The value of a quoted or raw string literal, strconv.Unquote.
 *
 * @throws Error `invalid syntax`
 */
export function unquote(literal: string): string {
  const body = literal.slice(1, -1)
  if (literal[0] === '`') return body.includes('\r') ? body.replaceAll('\r', '') : body
  return body.includes('\\') ? unquoteEscapes(body) : body.toWellFormed()
}

/**
 * The rune of a character literal.
 *
 * @throws Error in Go's words
 */
export function unquoteRune(literal: string): number {
  if (literal[1] === "'") throw invalidSyntax()
  const unquoted = unquoteAt(literal, 1, "'")
  if (literal.slice(unquoted.end) !== "'") throw new Error(`malformed character constant: ${literal}`)
  return unquoted.code
}

function unquoteEscapes(body: string): string {
  let text = ''
  let hasBytes = false
  let at = 0
  for (let backslash = body.indexOf('\\'); backslash >= 0; backslash = body.indexOf('\\', at)) {
    const unquoted = unquoteAt(body, backslash, '"')
    text += body.slice(at, backslash).toWellFormed() + unquoted.text
    hasBytes ||= unquoted.isByte && unquoted.code >= 0x80
    at = unquoted.end
  }
  text += body.slice(at).toWellFormed()
  return hasBytes ? fromBytes(toBytes(text)) : text
}

function unquoteAt(text: string, at: number, delimiter: string): Unquoted {
  if (text[at] !== '\\') {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    // A raw byte that is not UTF-8 becomes U+FFFD; only an escape can make one.
    const wellFormed = character.toWellFormed()
    const code = wellFormed.codePointAt(0) ?? 0
    return { text: wellFormed, code, isByte: false, end: at + character.length }
  }
  ESCAPE.lastIndex = at
  const match = ESCAPE.exec(text)
  if (match === null) throw invalidSyntax()
  const [whole, hex, short, long, octal, simple] = match
  const end = at + whole.length
  if (simple !== undefined) return unquoteSimple(simple, end, delimiter)
  if (hex !== undefined) return unquoteByte(Number.parseInt(hex, 16), end)
  if (octal !== undefined) return unquoteByte(Number.parseInt(octal, 8), end)
  return unquoteCode(Number.parseInt(short ?? long ?? '', 16), end)
}

function unquoteSimple(letter: string, end: number, delimiter: string): Unquoted {
  const isQuote = letter === "'" || letter === '"'
  if (isQuote && letter !== delimiter) throw invalidSyntax()
  const text = SIMPLE_ESCAPES.get(letter) ?? letter
  return { text, code: text.charCodeAt(0), isByte: false, end }
}

function unquoteByte(code: number, end: number): Unquoted {
  if (code > 255) throw invalidSyntax()
  const text = String.fromCharCode(code < 0x80 ? code : 0xdc00 + code)
  return { text, code, isByte: true, end }
}

function unquoteCode(code: number, end: number): Unquoted {
  if (code > MAX_RUNE || (code >= 0xd800 && code <= 0xdfff)) throw invalidSyntax()
  return { text: String.fromCodePoint(code), code, isByte: false, end }
}

function invalidSyntax(): Error {
  return new Error('invalid syntax')
}
