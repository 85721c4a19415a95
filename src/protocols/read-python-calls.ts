import { MAX_JSON_DEPTH } from '../util/first-json.js'
import { type JsonValue, parseJson, stringifyJson } from '../util/json.js'

/** One call of a list, or why it is none. */
export type PythonCall =
  | { readonly ok: true; readonly name: string; readonly arguments: string }
  | { readonly ok: false; readonly raw: string; readonly reason: string }

/** More of a list are not read. */
const MAX_CALLS = 1_000
const BACKSLASH = '\\'
const OPENING = '([{'
const CLOSING = ')]}'

/** Finds where a bracket of Python text is closed, and knows strings while it does. It may be fed in pieces. */
export class PythonScan {
  done = false
  private depth = 0
  private quote = ''
  private escaped = false

  /** Scans on from an offset, up to behind the closing bracket (`done`) or the end of the text. */
  scan(text: string, from: number): number {
    for (let at = from; at < text.length; at += 1) {
      this.step(text.charAt(at))
      if (this.done) return at + 1
    }
    return text.length
  }

  private step(character: string): void {
    if (this.escaped) this.escaped = false
    else if (this.quote !== '') {
      if (character === BACKSLASH) this.escaped = true
      else if (character === this.quote) this.quote = ''
    } else if (character === '"' || character === "'") this.quote = character
    else if (OPENING.includes(character)) this.depth += 1
    else if (CLOSING.includes(character)) {
      this.depth -= 1
      this.done = this.depth <= 0
    }
  }
}

/**
 * Reads `[name(argument='value', …), …]`, with Python's literals as values. A call that cannot be read does not keep the
 * others from being read.
 */
export function readPythonCalls(list: string): PythonCall[] {
  const calls: PythonCall[] = []
  let at = skipBetween(list, 1)
  while (at < list.length && list[at] !== ']' && calls.length < MAX_CALLS) {
    const end = endOfCall(list, at)
    calls.push(readCall(list.slice(at, end)))
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

function readCall(raw: string): PythonCall {
  try {
    const { name, values } = new PythonReader(raw).call()
    return { ok: true, name, arguments: stringifyJson(Object.fromEntries(values)) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { ok: false, raw, reason: error.message }
  }
}

const NAME = /[A-Za-z_][\w.-]*/y
const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y
const BLANK = /\s*/y
const PLAIN_TEXT = /[^\\'"]+/y
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

class PythonReader {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  call(): { readonly name: string; readonly values: [string, JsonValue][] } {
    const name = this.match(NAME) ?? this.fail('the name of a function')
    this.expect('(')
    const values: [string, JsonValue][] = []
    this.sequence(')', () => {
      const argument = this.match(NAME) ?? this.fail('a named argument')
      this.expect('=')
      values.push([argument, this.value(1)])
    })
    return { name, values }
  }

  private value(depth: number): JsonValue {
    if (depth > MAX_JSON_DEPTH) throw new SyntaxError('The arguments are nested too deep')
    const next = this.peek()
    if (next === '"' || next === "'") return this.strings()
    if (next === '[' || next === '(') return this.list(next === '[' ? ']' : ')', depth)
    if (next === '{') return this.dictionary(depth)
    const name = this.match(NAME)
    return name === undefined ? this.number() : this.word(name)
  }

  private list(close: string, depth: number): JsonValue {
    const items: JsonValue[] = []
    this.at += 1
    this.sequence(close, () => items.push(this.value(depth + 1)))
    return items
  }

  private dictionary(depth: number): JsonValue {
    const entries: [string, JsonValue][] = []
    this.at += 1
    this.sequence('}', () => {
      const key = this.value(depth + 1)
      this.expect(':')
      entries.push([typeof key === 'string' ? key : stringifyJson(key), this.value(depth + 1)])
    })
    return Object.fromEntries(entries)
  }

  /** Literals of Python, and JSON's, which models mix in. */
  private word(name: string): JsonValue {
    if (name === 'True' || name === 'true') return true
    if (name === 'False' || name === 'false') return false
    if (name === 'None' || name === 'null') return null
    return this.fail('a literal value', name)
  }

  private number(): JsonValue {
    const written = this.match(NUMBER) ?? this.fail('a value')
    const value = /^[+-]?\d+$/.test(written) ? parseInteger(written) : Number(written)
    return typeof value === 'number' && !Number.isFinite(value)
      ? this.fail('a finite number', written)
      : value
  }

  /** Strings that follow each other are one. */
  private strings(): string {
    let text = this.string()
    while (this.peek() === '"' || this.peek() === "'") text += this.string()
    return text
  }

  private string(): string {
    const quote = this.text.charAt(this.at)
    this.at += 1
    const pieces: string[] = []
    for (;;) {
      const next = this.text.charAt(this.at)
      if (next === '') return this.fail('the end of a string')
      if (next === quote) break
      pieces.push(this.piece(next))
    }
    this.at += 1
    return pieces.join('')
  }

  private piece(next: string): string {
    if (next === BACKSLASH) return this.escape()
    const plain = this.exec(PLAIN_TEXT)?.[0]
    if (plain !== undefined) return plain
    this.at += 1
    return next
  }

  /** As Python does: what is no escape keeps its backslash. */
  private escape(): string {
    const found = this.exec(ESCAPE)
    if (found === undefined) return this.fail('the end of a string')
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

  private sequence(close: string, element: () => void): void {
    while (this.peek() !== close) {
      element()
      if (this.peek() !== ',') break
      this.at += 1
    }
    this.expect(close)
  }

  private expect(character: string): void {
    if (this.peek() !== character) this.fail(JSON.stringify(character))
    this.at += 1
  }

  private peek(): string {
    this.exec(BLANK)
    return this.text.charAt(this.at)
  }

  private match(pattern: RegExp): string | undefined {
    this.peek()
    return this.exec(pattern)?.[0]
  }

  private exec(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text) ?? undefined
    if (found !== undefined) this.at += found[0].length
    return found
  }

  private fail(wanted: string, found = this.text.slice(this.at, this.at + 20)): never {
    throw new SyntaxError(`${wanted} was expected, not ${found === '' ? 'the end' : JSON.stringify(found)}`)
  }
}

function parseInteger(written: string): JsonValue {
  const digits = written.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1')
  return parseJson(digits)
}
