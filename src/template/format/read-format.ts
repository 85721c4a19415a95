import { MAX_VERBS } from '../limits.js'
import { isStrayByte } from './byte-string.js'
import { type Flags, NO_FLAGS } from './print-verb.js'

/** An explicit argument index, `[n]`; −1 if it does not parse. */
export type ArgumentIndex = number

/** One verb of a format with the literal text before it. */
export interface Directive {
  readonly literal: string
  readonly flags: Flags
  /** A character, or empty where the format ends before the verb. */
  readonly verb: string
  /** True without `*` and `[n]`, which need the arguments to be understood. */
  readonly simple: boolean
  readonly malformed: boolean
  readonly widthIndex: ArgumentIndex | undefined
  readonly widthFromArgument: boolean
  readonly precisionIndex: ArgumentIndex | undefined
  readonly precisionFromArgument: boolean
  readonly verbIndex: ArgumentIndex | undefined
}

/** A format as it was read. */
export interface Format {
  readonly directives: readonly Directive[]
  /** The literal text after the last verb. */
  readonly tail: string
  /** Whether it has more verbs than are read: none of them was. */
  readonly isTooLong: boolean
}

/** Beyond this, in either direction, Go refuses a width or precision. */
export const TOO_LARGE = 1e6
const FLAG_CHARACTERS = '#0+- '

/** Reads a format of fmt as Go does; mistakes are reported when it is printed. */
export function readFormat(format: string): Format {
  if (hasMoreVerbs(format, MAX_VERBS)) return { directives: [], tail: '', isTooLong: true }
  const directives: Directive[] = []
  const parser = new DirectiveParser(format)
  for (;;) {
    const at = parser.position
    const percent = format.indexOf('%', at)
    if (percent < 0) return { directives, tail: format.slice(at), isTooLong: false }
    parser.position = percent + 1
    directives.push(parser.parse(format.slice(at, percent)))
  }
}

/** By its percent signs. */
function hasMoreVerbs(format: string, most: number): boolean {
  let verbs = 0
  for (let at = format.indexOf('%'); at >= 0; at = format.indexOf('%', at + 1)) {
    if (++verbs > most) return true
  }
  return false
}

class DirectiveParser {
  position = 0
  readonly #format: string
  #malformed = false
  #afterIndex = false
  /** Where the next closing bracket is, as far as one was looked for: −1 behind the last. */
  #close = 0

  constructor(format: string) {
    this.#format = format
  }

  parse(literal: string): Directive {
    const verb = this.#peek()
    if (isPlainVerb(verb)) {
      this.position++
      return plainDirective(literal, verb)
    }
    this.#malformed = false
    this.#afterIndex = false
    const marks = this.#flagCharacters()
    const widthIndex = this.#argumentIndex()
    const widthFromArgument = this.#star()
    const width = widthFromArgument ? -1 : this.#width()
    const precision = this.#precision()
    const verbIndex = this.#afterIndex ? undefined : this.#argumentIndex()
    const simple =
      widthIndex === undefined &&
      verbIndex === undefined &&
      precision.index === undefined &&
      !widthFromArgument &&
      !precision.fromArgument
    return {
      literal,
      flags: toFlags(marks, width, precision.value),
      verb: this.#verb(),
      simple,
      malformed: this.#malformed,
      widthIndex,
      widthFromArgument,
      precisionIndex: precision.index,
      precisionFromArgument: precision.fromArgument,
      verbIndex,
    }
  }

  #flagCharacters(): string {
    const start = this.position
    while (this.position < this.#format.length && FLAG_CHARACTERS.includes(this.#peek())) this.position++
    return this.#format.slice(start, this.position)
  }

  #peek(): string {
    return this.#format.charAt(this.position)
  }

  #star(): boolean {
    if (this.#peek() !== '*') return false
    this.position++
    this.#afterIndex = false
    return true
  }

  #width(): number {
    const width = this.#number()
    if (this.#afterIndex && width >= 0) this.#malformed = true
    return width
  }

  #precision(): { value: number; index: ArgumentIndex | undefined; fromArgument: boolean } {
    const isPrecision = this.position + 1 < this.#format.length && this.#peek() === '.'
    // A lone final point is the verb.
    if (!isPrecision) return { value: -1, index: undefined, fromArgument: false }
    this.position++
    if (this.#afterIndex) this.#malformed = true
    const index = this.#argumentIndex()
    const fromArgument = this.#star()
    return { value: fromArgument ? -1 : Math.max(this.#number(), 0), index, fromArgument }
  }

  /** Decimal digits, or −1; an absurd number swallows the rest of the format, as in Go. */
  #number(): number {
    let value = -1
    while (this.position < this.#format.length && isDigit(this.#peek())) {
      if (value > TOO_LARGE) {
        this.position = this.#format.length
        return -1
      }
      value = Math.max(value, 0) * 10 + Number(this.#peek())
      this.position++
    }
    return value
  }

  /** The `[n]` here as an index from 0; −1 if malformed; undefined if there is no index. */
  #argumentIndex(): ArgumentIndex | undefined {
    this.#afterIndex = false
    if (this.#peek() !== '[') return undefined
    const close = this.#nextClose()
    const remaining = this.#format.length - this.position
    if (close < 0 || remaining < 3) {
      this.position++
      return -1
    }
    const digits = this.#format.slice(this.position + 1, close)
    this.position = close + 1
    if (!isIndexNumber(digits)) return -1
    this.#afterIndex = true
    return Number(digits) - 1
  }

  /** Looks for each bracket once, however many opening ones come before it. */
  #nextClose(): number {
    if (this.#close >= 0 && this.#close < this.position)
      this.#close = this.#format.indexOf(']', this.position)
    return this.#close
  }

  #verb(): string {
    const code = this.#format.codePointAt(this.position)
    if (code === undefined) return ''
    const character = String.fromCodePoint(code)
    this.position += character.length
    return isStrayByte(code) ? '\ufffd' : character
  }
}

/** Most verbs: nothing stands between them and their percent sign. */
function isPlainVerb(character: string): boolean {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || character === '%'
}

function plainDirective(literal: string, verb: string): Directive {
  return {
    literal,
    flags: NO_FLAGS,
    verb,
    simple: true,
    malformed: false,
    widthIndex: undefined,
    widthFromArgument: false,
    precisionIndex: undefined,
    precisionFromArgument: false,
    verbIndex: undefined,
  }
}

function toFlags(marks: string, width: number, precision: number): Flags {
  if (marks === '' && width < 0 && precision < 0) return NO_FLAGS
  return {
    plus: marks.includes('+'),
    minus: marks.includes('-'),
    sharp: marks.includes('#'),
    space: marks.includes(' '),
    zero: marks.includes('0'),
    plusV: false,
    sharpV: false,
    width,
    precision,
  }
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9' && character.length === 1
}

/** parsenum's range: it gives up after a prefix beyond a million. */
function isIndexNumber(digits: string): boolean {
  return /^[0-9]+$/.test(digits) && Number(digits.slice(0, -1)) <= TOO_LARGE
}
