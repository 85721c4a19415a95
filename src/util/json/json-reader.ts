import { keyed } from '../at.js'
import { MAX_JSON_DEPTH, MAX_NUMBER_CHARACTERS } from '../limits.js'
import { runNow, type Sliced } from '../slices/sliced.js'
import { placeOf } from '../text/place-of.js'
import { endOfString, skipBlank } from './cursor.js'
import type { JsonValue } from './json.js'

/** Read at a time: some hundred microseconds. */
const PIECE_MEMBERS = 512

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
const LITERAL = /true|false|null/y
const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** JSON text that does not parse, and where. */
export class JsonSyntaxError extends SyntaxError {
  override readonly name = 'JsonSyntaxError'
  readonly line: number
  /** In UTF-16 code units, from 1. */
  readonly column: number

  constructor(problem: string, text: string, offset: number) {
    const { line, column } = placeOf(text, offset)
    super(`${problem} at line ${line}, column ${column}`)
    this.line = line
    this.column = column
  }
}

/**
 * Reads JSON as `JSON.parse` does, but integers beyond ±(2^53 − 1) become bigint and errors say where they are.
 * Slower than the native parser, so it is the second choice: for text with large integers and for error messages.
 *
 * @throws JsonSyntaxError
 */
export function readJson(text: string): JsonValue {
  return runNow(readJsonInPieces(text))
}

/** Reads JSON text as `readJson` in slices, for texts that hold very much. @throws JsonSyntaxError */
export function* readJsonInPieces(text: string): Sliced<JsonValue> {
  const reader = new Reader(text)
  const value = yield* reader.value(0)
  reader.end()
  return value
}

class Reader {
  private readonly text: string
  private offset = 0
  /** Members of lists and objects. */
  private count = 0

  constructor(text: string) {
    this.text = text
  }

  *value(depth: number): Sliced<JsonValue> {
    if (depth > MAX_JSON_DEPTH) throw this.error(`Nesting deeper than ${MAX_JSON_DEPTH} levels`)
    const next = this.peek()
    if (next === '{') return yield* this.object(depth + 1)
    if (next === '[') return yield* this.list(depth + 1)
    if (next === '"') return this.string()
    if (next === '-' || (next >= '0' && next <= '9')) return this.number()
    return keyed(LITERALS, this.match(LITERAL) ?? this.unexpected('a value'))
  }

  end(): void {
    if (this.peek() !== '') this.unexpected('the end')
  }

  private *object(depth: number): Sliced<JsonValue> {
    const entries: [string, JsonValue][] = []
    for (let isMore = this.enter('}'); isMore; isMore = this.leave('}')) {
      if (this.peek() !== '"') this.unexpected('a property name in double quotes')
      const name = this.string()
      this.expect(':')
      entries.push([name, yield* this.value(depth)])
      if (this.isPieceOver()) yield
    }
    // Unlike assignment, fromEntries makes `__proto__` a property like any other.
    return Object.fromEntries(entries)
  }

  private *list(depth: number): Sliced<JsonValue> {
    const items: JsonValue[] = []
    for (let isMore = this.enter(']'); isMore; isMore = this.leave(']')) {
      items.push(yield* this.value(depth))
      if (this.isPieceOver()) yield
    }
    return items
  }

  /** Goes behind an opening bracket; false behind the closing one of what is empty. */
  private enter(close: string): boolean {
    this.offset += 1
    if (this.peek() !== close) return true
    this.offset += 1
    return false
  }

  /** Goes behind the comma after a member; false behind the closing bracket. */
  private leave(close: string): boolean {
    const isMore = this.peek() === ','
    if (isMore) this.offset += 1
    else this.expect(close)
    return isMore
  }

  private isPieceOver(): boolean {
    this.count += 1
    return this.count % PIECE_MEMBERS === 0
  }

  private string(): string {
    const start = this.offset
    this.offset = endOfString(this.text, start) ?? this.unterminated()
    try {
      return String(JSON.parse(this.text.slice(start, this.offset)))
    } catch {
      throw this.error('Malformed string', start)
    }
  }

  private unterminated(): never {
    throw this.error('Unterminated string')
  }

  private number(): number | bigint {
    const token = this.match(NUMBER) ?? this.unexpected('a number')
    if (token.length > MAX_NUMBER_CHARACTERS)
      throw this.error(`A number of more than ${MAX_NUMBER_CHARACTERS} digits`)
    const number = Number(token)
    return /^-?\d+$/.test(token) && !Number.isSafeInteger(number) ? BigInt(token) : number
  }

  private expect(character: string): void {
    if (this.peek() !== character) this.unexpected(`"${character}"`)
    this.offset += 1
  }

  private peek(): string {
    this.offset = skipBlank(this.text, this.offset)
    return this.text.charAt(this.offset)
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.offset
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.offset += found.length
    return found
  }

  private unexpected(wanted: string): never {
    const found = this.text.charAt(this.offset)
    throw this.error(
      found === ''
        ? `Unexpected end, expected ${wanted}`
        : `Unexpected ${JSON.stringify(found)}, expected ${wanted}`,
    )
  }

  private error(problem: string, offset = this.offset): JsonSyntaxError {
    return new JsonSyntaxError(problem, this.text, offset)
  }
}
