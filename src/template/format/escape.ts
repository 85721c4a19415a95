import { at } from '../../util/at.js'
import type { Value } from '../value.js'
import { isAscii, isStrayByte, normalizeBytes, toBytes } from './byte-string.js'
import { isPrint } from './quote.js'
import { rewrite } from './rewrite.js'
import { checkRewritten } from './size.js'
import { sprint } from './sprint.js'

const HTML_SPECIAL = /[\0"'&<>]/g
const HTML_ENTITIES: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
}
const JS_SPECIAL = /[\\'"<>&=\0-\x1f]|[^\0-\x7f]/gu
const JS_BACKSLASHED = '\\\'"'
const QUERY_SPECIAL = /[^A-Za-z0-9_.~-]/g

/** The `html` builtin. */
export function htmlEscape(...values: Value[]): string {
  return htmlEscapeString(textOf(values))
}

/** template.HTMLEscapeString. */
function htmlEscapeString(text: string): string {
  return rewrite(text, HTML_SPECIAL, (character) => HTML_ENTITIES[character] ?? character)
}

/** The `js` builtin. */
export function jsEscape(...values: Value[]): string {
  const text = textOf(values)
  return rewrite(isAscii(text) ? text : normalizeBytes(text), JS_SPECIAL, escapeJsCharacter)
}

/** The `urlquery` builtin: url.QueryEscape. */
export function urlQueryEscape(...values: Value[]): string {
  const text = textOf(values)
  if (isAscii(text)) return rewrite(text, QUERY_SPECIAL, (character) => queryByte(character.charCodeAt(0)))
  checkRewritten(text)
  return escapeBytes(toBytes(text))
}

const PERCENT = 0x25
const HEX_DIGITS = Buffer.from('0123456789ABCDEF', 'latin1')
/** What a byte becomes in a query that needs no percent sign there, as a byte; 0 for the others. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) => {
  const escaped = String.fromCharCode(byte).replace(QUERY_SPECIAL, () => queryByte(byte))
  return escaped.length === 1 ? escaped.charCodeAt(0) : 0
})

function escapeBytes(bytes: Uint8Array): string {
  const escaped = Buffer.allocUnsafe(bytes.length * 3)
  let length = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = at(bytes, i)
    const plain = at(PLAIN, byte)
    if (plain > 0) escaped[length++] = plain
    else {
      escaped[length++] = PERCENT
      escaped[length++] = at(HEX_DIGITS, byte >> 4)
      escaped[length++] = at(HEX_DIGITS, byte & 15)
    }
  }
  return escaped.toString('latin1', 0, length)
}

/** The arguments as one text; nil counts as `<no value>`, as where an action prints it. */
function textOf(values: readonly Value[]): string {
  if (values.length === 1 && typeof values[0] === 'string') return values[0]
  return sprint(values.map((value) => value ?? '<no value>'))
}

function escapeJsCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (JS_BACKSLASHED.includes(character)) return `\\${character}`
  if (code >= 0x80 && (isStrayByte(code) || isPrint(code))) return character
  return `\\u${hex(code, 4)}`
}

function queryByte(byte: number): string {
  return byte === 0x20 ? '+' : `%${hex(byte, 2)}`
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0')
}
