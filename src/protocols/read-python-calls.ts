import { endsEscaping } from '../util/json/cursor.js'
import { stringifyJson } from '../util/json/json.js'
import { MAX_JSON_DEPTH } from '../util/limits.js'
import { keyJson, textJson } from './value-json.js'

/** One call of a list, or why it is invalid. */
export type PythonCall =
  | { readonly ok: true; readonly name: string; readonly arguments: string }
  | { readonly ok: false; readonly raw: string; readonly reason: string }

/** More of a list are not read. */
const MAX_CALLS = 1_000
/** After this many calls of a list that cannot be read, the rest of it is one more. */
const MAX_BROKEN = 100
/** So much of a list is read, so that nobody waits for more than some milliseconds: a piece of a string is 1. */
const MAX_WORK = 100_000
const VALUE_WORK = 5
const BACKSLASH = '\\'
const DOUBLE_QUOTE = 0x22
const SINGLE_QUOTE = 0x27

/** Finds where a bracket of Python text is closed, and knows strings while it does. It may be fed in pieces. */
export class PythonScan {
  done = false
  private depth = 0
  /** The code of the quote that ends the string; 0 outside of strings. */
  private quote = 0
  private escaped = false

  /** Scans on from an offset, up to behind the closing bracket (`done`) or the end of the text. */
  scan(text: string, from: number): number {
    let at = from
    while (at < text.length && !this.done) {
      at = this.quote === 0 ? this.scanOutside(text, at) : this.scanString(text, at)
    }
    return at
  }

  /** Stops behind the opening quote of a string, and behind the closing bracket. */
  private scanOutside(text: string, from: number): number {
    for (let at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
        this.quote = code
        return at + 1
      }
      if (opens(code)) this.depth += 1
      else if (closes(code)) {
        this.depth -= 1
        this.done = this.depth <= 0
        if (this.done) return at + 1
      }
    }
    return text.length
  }

  /** From quote to quote, which is far faster than by characters: files and texts are most of what calls carry. */
  private scanString(text: string, from: number): number {
    let at = this.escaped ? from + 1 : from
    for (;;) {
      const quote = text.indexOf(this.quote === DOUBLE_QUOTE ? '"' : "'", at)
      this.escaped = endsEscaping(text, at, quote === -1 ? text.length : quote)
      if (quote === -1) return text.length
      at = quote + 1
      if (this.escaped) this.escaped = false
      else {
        this.quote = 0
        return at
      }
    }
  }
}

/** `(`, `[` or `{`. */
function opens(code: number): boolean {
  return code === 0x28 || code === 0x5b || code === 0x7b
}

/** `)`, `]` or `}`. */
function closes(code: number): boolean {
  return code === 0x29 || code === 0x5d || code === 0x7d
}

const COMMON_ESCAPES = new Set('"\\bfnrt'.split('').map((character) => character.charCodeAt(0)))

/** How many escapes a text has; undefined if JSON does not have one of them. */
function commonEscapes(text: string): number | undefined {
  let count = 0
  for (let at = text.indexOf(BACKSLASH); at !== -1; at = text.indexOf(BACKSLASH, at + 2)) {
    if (!COMMON_ESCAPES.has(text.charCodeAt(at + 1))) return undefined
    count += 1
  }
  return count
}

/** How much of a list may still be read. */
interface Allowance {
  left: number
}

/** A list of calls with nothing broken in it, and where it ends. */
export interface WholePythonCalls {
  readonly calls: readonly PythonCall[]
  readonly end: number
}

/**
 * Reads the list that begins here, to its bracket, in one pass; undefined where anything of it cannot be read, or is not there
 * yet: then its end is looked for first, and every call is read by itself.
 */
export function readWholePythonCalls(text: string, from: number): WholePythonCalls | undefined {
  const reader = new PythonReader(text, { left: MAX_WORK }, from + 1)
  const calls: PythonCall[] = []
  try {
    while (!reader.ends(']')) {
      if (calls.length === MAX_CALLS) return undefined
      calls.push({ ok: true, ...reader.call() })
      reader.skipComma()
    }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  return calls.length === 0 ? undefined : { calls, end: reader.at }
}

/**
 * Reads `[name(argument='value', …), …]`, with Python's literals as values. A call that cannot be read does not keep the
 * others from being read; one that holds too much takes the rest with it.
 */
export function readPythonCalls(list: string): PythonCall[] {
  const calls: PythonCall[] = []
  const allowance: Allowance = { left: MAX_WORK }
  let at = skipBetween(list, 1)
  let broken = 0
  while (at < list.length && list[at] !== ']' && calls.length < MAX_CALLS) {
    if (broken === MAX_BROKEN) {
      calls.push({ ok: false, raw: list.slice(at), reason: 'Too many calls of the list cannot be read' })
      break
    }
    const end = endOfCall(list, at)
    const call = readCall(list.slice(at, end), allowance)
    calls.push(call)
    if (!call.ok) broken += 1
    at = skipBetween(list, end)
  }
  return calls.length > 0 ? calls : [{ ok: false, raw: list, reason: 'The list has no call' }]
}

function skipBetween(text: string, from: number): number {
  let at = from
  while (at < text.length && (text[at] === ',' || text.charAt(at).trim() === '')) at += 1
  return at
}

/** Behind the bracket that closes the call; without brackets, the end of the list. */
function endOfCall(list: string, from: number): number {
  const bracket = list.indexOf('(', from)
  return bracket === -1 ? list.length : new PythonScan().scan(list, bracket)
}

/** @param members the JSON of the values by the JSON of their names */
function membersJson(members: ReadonlyMap<string, string>): string {
  let written = ''
  for (const [name, json] of members) written += `${written === '' ? '' : ','}${name}:${json}`
  return `{${written}}`
}

function readCall(raw: string, allowance: Allowance): PythonCall {
  try {
    return { ok: true, ...new PythonReader(raw, allowance).call() }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { ok: false, raw, reason: error.message }
  }
}

const NAME = /[\p{L}_][\p{L}\p{N}_.-]*/uy
/** Nearly all names and numbers; these are valid JSON already. */
const PLAIN_NAME = /[A-Za-z_][\w.-]*(?=[^\w.\x80-\uffff-])/y
const PLAIN_NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?=[\s,)\]}])/y
const NUMBER_START = /[-\d]/
/** `**{…}`: arguments whose names are not identifiers. */
const UNPACKED = /\*\*(?=\s*\{)/y
const LITERALS: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['true', 'true'],
  ['False', 'false'],
  ['false', 'false'],
  ['None', 'null'],
  ['null', 'null'],
])
/** What JSON escapes in strings. */
const CONTROL = /[\0-\x1f]/
const SPACE = 0x20
const DELETE = 0x7f
const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y
const BLANK = /\s*/y
const PLAIN_TEXT = { '"': /[^\\"]+/y, "'": /[^\\']+/y }
const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|\r?\n|([\s\S]))/y
const ESCAPED: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  '0': '\0',
}

type Quote = keyof typeof PLAIN_TEXT

class PythonReader {
  at: number
  private readonly text: string
  private readonly allowance: Allowance

  constructor(text: string, allowance: Allowance, at = 0) {
    this.text = text
    this.allowance = allowance
    this.at = at
  }

  call(): { readonly name: string; readonly arguments: string } {
    const name = this.name() ?? this.fail('the name of a function')
    this.expect('(')
    const values = new Map<string, string>()
    while (!this.ends(')')) {
      if (this.peek() === '*' && this.match(UNPACKED) !== undefined) {
        this.peek()
        for (const [key, json] of this.members(1)) values.set(key, json)
      } else {
        const argument = this.name() ?? this.fail('a named argument')
        this.expect('=')
        values.set(keyJson(argument), this.value(1))
      }
      if (!this.separates(')')) break
    }
    return { name, arguments: membersJson(values) }
  }

  /** True where the bracket comes, which is read. */
  ends(close: string): boolean {
    const isEnd = this.peek() === close
    if (isEnd) this.at += 1
    return isEnd
  }

  /** Commas may be missing between calls, and there may be more of them. */
  skipComma(): void {
    while (this.peek() === ',') this.at += 1
  }

  /** The JSON of the value that comes next. */
  private value(depth: number): string {
    if (depth > MAX_JSON_DEPTH) throw new SyntaxError('The arguments are nested too deep')
    const next = this.peek()
    if (next === '"' || next === "'") return this.strings(next)
    this.spend(VALUE_WORK)
    if (next === '[' || next === '(') return this.list(next === '[' ? ']' : ')', depth)
    if (next === '{') return membersJson(this.members(depth))
    if (NUMBER_START.test(next)) return this.exec(PLAIN_NUMBER) ?? this.number()
    const name = this.name()
    return name === undefined ? this.number() : this.word(name)
  }

  private list(close: string, depth: number): string {
    let items = ''
    this.at += 1
    while (!this.ends(close)) {
      items += `${items === '' ? '' : ','}${this.value(depth + 1)}`
      if (!this.separates(close)) break
    }
    return `[${items}]`
  }

  /** The values of a dictionary by the JSON of their names. */
  private members(depth: number): ReadonlyMap<string, string> {
    const members = new Map<string, string>()
    this.at += 1
    while (!this.ends('}')) {
      const key = this.value(depth + 1)
      this.expect(':')
      members.set(key.startsWith('"') ? key : keyJson(key), this.value(depth + 1))
      if (!this.separates('}')) break
    }
    return members
  }

  /** Literals of Python, and JSON's, which models mix in. */
  private word(name: string): string {
    return LITERALS.get(name) ?? this.fail('a literal value', name)
  }

  private number(): string {
    const written = this.match(NUMBER) ?? this.fail('a value')
    if (/^[+-]?\d+$/.test(written)) return integerJson(written)
    const value = Number(written)
    return Number.isFinite(value) ? stringifyJson(value) : this.fail('a finite number', written)
  }

  /** The JSON of strings that follow each other: they are one. */
  private strings(first: Quote): string {
    const json = this.string(first)
    let next = this.peek()
    if (next !== '"' && next !== "'") return json
    let text = textOf(json)
    for (; next === '"' || next === "'"; next = this.peek()) text += textOf(this.string(next))
    return textJson(text)
  }

  private string(quote: Quote): string {
    const common = this.commonString(quote)
    if (common !== undefined) return common
    this.at += 1
    const pieces: string[] = []
    for (;;) {
      this.spend(1)
      const next = this.text.charAt(this.at)
      if (next === '') return this.fail('the end of a string')
      if (next === quote) break
      pieces.push(next === BACKSLASH ? this.escape() : (this.exec(PLAIN_TEXT[quote]) ?? ''))
    }
    this.at += 1
    return textJson(pieces.join(''))
  }

  /** A string without escapes, or one that is valid JSON already; undefined for any other. */
  private commonString(quote: Quote): string | undefined {
    const from = this.at + 1
    const end = this.endOfString(quote, from)
    const inside = this.text.slice(from, end)
    const escapes = commonEscapes(inside)
    if (escapes === undefined || (escapes > 0 && (quote === "'" || CONTROL.test(inside)))) return undefined
    this.spend(2 * escapes + 2)
    this.at = end + 1
    return escapes === 0 ? textJson(inside) : `"${inside}"`
  }

  private endOfString(quote: Quote, from: number): number {
    const { text } = this
    for (let at = from; ; at += 1) {
      at = text.indexOf(quote, at)
      if (at === -1) return this.fail('the end of a string', '')
      if (!endsEscaping(text, from, at)) return at
    }
  }

  private spend(work: number): void {
    this.allowance.left -= work
    if (this.allowance.left < 0) throw new SyntaxError('The list of calls holds too much')
  }

  /** As Python does: an unknown escape keeps its backslash. */
  private escape(): string {
    ESCAPE.lastIndex = this.at
    const found = ESCAPE.exec(this.text)
    if (found === null) return this.fail('the end of a string')
    this.at = ESCAPE.lastIndex
    const code = found[1] ?? found[2] ?? found[3]
    if (code !== undefined) return this.character(Number.parseInt(code, 16))
    const character = found[4]
    if (character === undefined) return ''
    if (character === BACKSLASH || character === '"' || character === "'") return character
    return ESCAPED[character] ?? BACKSLASH + character
  }

  private character(code: number): string {
    return code <= 0x10ffff ? String.fromCodePoint(code) : this.fail('a character')
  }

  /** Whether a comma comes; otherwise the bracket must. */
  private separates(close: string): boolean {
    if (this.peek() === ',') {
      this.at += 1
      return true
    }
    this.expect(close)
    return false
  }

  private name(): string | undefined {
    this.peek()
    return this.exec(PLAIN_NAME) ?? this.exec(NAME)
  }

  private expect(character: string): void {
    if (this.peek() !== character) this.fail(JSON.stringify(character))
    this.at += 1
  }

  private peek(): string {
    const code = this.text.charCodeAt(this.at)
    if (!(code > SPACE && code < DELETE)) this.exec(BLANK)
    return this.text.charAt(this.at)
  }

  private match(pattern: RegExp): string | undefined {
    this.peek()
    return this.exec(pattern)
  }

  private exec(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    if (!pattern.test(this.text)) return undefined
    const found = this.text.slice(this.at, pattern.lastIndex)
    this.at = pattern.lastIndex
    return found
  }

  private fail(wanted: string, found = this.text.slice(this.at, this.at + 20)): never {
    throw new SyntaxError(`${wanted} was expected, not ${found === '' ? 'the end' : JSON.stringify(found)}`)
  }
}

/** JSON has no plus, and no zeros in front. */
function integerJson(written: string): string {
  return written.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1')
}

/** The text of a JSON string. */
function textOf(json: string): string {
  const text: unknown = JSON.parse(json)
  return typeof text === 'string' ? text : json
}
