import type { Value } from '../value.js'
import { isStrayByte } from './byte-string.js'
import { formatArgument, formatInt } from './format-value.js'
import { checkLength } from './go-error.js'
import { kindOf, numberOf, typeName } from './kind.js'
import { type Flags, NO_FLAGS, VerbPrinter } from './print-verb.js'
import { GO_PRINTING, type Printing } from './printing.js'
import { isQuick, QuickDirective } from './quick-directive.js'
import { checkElements } from './size.js'

/** An explicit argument index, `[n]`; −1 if it does not parse. */
type ArgumentIndex = number

/** One verb of a format with the literal text before it. */
interface Directive {
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

/** A format that was read once and can be run often. */
export interface CompiledFormat {
  /**
   * A text with exactly these values printed at its end, without ceremony: for plain verbs and padding over strings
   * and ints. Undefined if that is not enough.
   */
  append1(output: string, first: Value): string | undefined
  append2(output: string, first: Value, second: Value): string | undefined
  append3(output: string, first: Value, second: Value, third: Value): string | undefined
  /** The literal text at the end, and the format without it: apart if all verbs are plain, one for each value. */
  splitTail(values: number): readonly [format: CompiledFormat, tail: string]
  /** @throws LimitError if a width or precision exceeds the limit. */
  format(values: readonly Value[], printing?: Printing): string
}

/** Beyond this, in either direction, Go refuses a width or precision. */
const TOO_LARGE = 1e6
const FLAG_CHARACTERS = '#0+- '

/** fmt.Sprintf. */
export function sprintf(format: string, values: readonly Value[], printing: Printing = GO_PRINTING): string {
  return compileFormat(format).format(values, printing)
}

/**
 * Reads a format once, for templates that use it often.
 *
 * @param remembers whether it keeps the texts of small ints
 */
export function compileFormat(format: string, remembers = false): CompiledFormat {
  const directives: Directive[] = []
  let at = 0
  for (;;) {
    const percent = format.indexOf('%', at)
    if (percent < 0) break
    const parser = new DirectiveParser(format, percent + 1)
    directives.push(parser.parse(format.slice(at, percent)))
    at = parser.position
  }
  return new FormatProgram(directives, format.slice(at), remembers)
}

class FormatProgram implements CompiledFormat {
  readonly #directives: readonly Directive[]
  readonly #tail: string
  readonly #remembers: boolean
  readonly #reordered: boolean
  /** The directives if all of them are plain; else none. */
  readonly #quick: readonly QuickDirective[]

  constructor(directives: readonly Directive[], tail: string, remembers: boolean) {
    this.#directives = directives
    this.#tail = tail
    this.#remembers = remembers
    this.#reordered = directives.some(
      ({ widthIndex, precisionIndex, verbIndex }) =>
        widthIndex !== undefined || precisionIndex !== undefined || verbIndex !== undefined,
    )
    this.#quick = directives.every(isQuick) ? quickDirectives(directives, tail, remembers) : []
  }

  append1(output: string, first: Value): string | undefined {
    const [only] = this.#quick
    return this.#quick.length === 1 ? only?.append(output, first) : undefined
  }

  append2(output: string, first: Value, second: Value): string | undefined {
    const quick = this.#quick
    if (quick.length !== 2) return undefined
    const text = quick[0]?.append(output, first)
    return text === undefined ? undefined : quick[1]?.append(text, second)
  }

  append3(output: string, first: Value, second: Value, third: Value): string | undefined {
    const quick = this.#quick
    if (quick.length !== 3) return undefined
    const start = quick[0]?.append(output, first)
    if (start === undefined) return undefined
    const text = quick[1]?.append(start, second)
    return text === undefined ? undefined : quick[2]?.append(text, third)
  }

  splitTail(values: number): readonly [CompiledFormat, string] {
    if (this.#quick.length === 0 || this.#quick.length !== values) return [this, '']
    return [new FormatProgram(this.#directives, '', this.#remembers), this.#tail]
  }

  format(values: readonly Value[], printing: Printing = GO_PRINTING): string {
    checkElements(values)
    let text = ''
    let next = 0
    let run: FormatRun | undefined
    for (const directive of this.#directives) {
      checkLength(text.length)
      text += directive.literal
      if (directive.simple && directive.flags === NO_FLAGS && next < values.length) {
        const plain = printPlain(directive.verb, values[next])
        if (plain !== undefined) {
          text += plain
          next++
          continue
        }
      }
      run ??= new FormatRun(values, printing)
      run.next = next
      text += run.print(directive)
      next = run.next
    }
    text += this.#tail
    if (this.#reordered || next >= values.length) return text
    return text + extraArguments(values, next, printing)
  }
}

/** Literal text goes with the directive before it, and the first with the first. */
function quickDirectives(
  directives: readonly Directive[],
  tail: string,
  remembers: boolean,
): readonly QuickDirective[] {
  return directives.map((directive, i) => {
    const after = directives[i + 1]?.literal ?? tail
    return new QuickDirective(directive, i === 0 ? directive.literal : '', after, remembers)
  })
}

/** The verbs that need no flags, printed without ceremony; undefined for everything else. */
function printPlain(verb: string, value: Value): string | undefined {
  if (verb === 's') return typeof value === 'string' ? value : undefined
  if (verb === 'v') return formatArgument(value)
  if (verb === 'd')
    return typeof value === 'number' && Number.isSafeInteger(value) ? formatInt(value) : undefined
  return undefined
}

/** The arguments of one run, and which comes next. */
class FormatRun {
  next = 0
  readonly #values: readonly Value[]
  readonly #printer: VerbPrinter
  readonly #printing: Printing
  #goodIndex = true

  constructor(values: readonly Value[], printing: Printing) {
    this.#values = values
    this.#printing = printing
    this.#printer = new VerbPrinter(printing)
  }

  print(directive: Directive): string {
    this.#goodIndex = !directive.malformed
    const diagnostics: string[] = []
    const flags = directive.simple ? directive.flags : this.#readFlags(directive, diagnostics)
    return diagnostics.join('') + this.#verb(directive.verb, flags)
  }

  #readFlags(directive: Directive, diagnostics: string[]): Flags {
    let flags = directive.flags
    this.#moveTo(directive.widthIndex)
    if (directive.widthFromArgument) {
      const width = this.#integerArgument()
      if (width === undefined) diagnostics.push(this.#complain('%!(BADWIDTH)'))
      else flags = withWidth(flags, width)
    }
    this.#moveTo(directive.precisionIndex)
    if (directive.precisionFromArgument) {
      const precision = this.#integerArgument()
      if (precision === undefined || precision < 0) diagnostics.push(this.#complain('%!(BADPREC)'))
      else flags = { ...flags, precision }
    }
    this.#moveTo(directive.verbIndex)
    return flags
  }

  #verb(verb: string, flags: Flags): string {
    if (verb === '') return this.#complain('%!(NOVERB)')
    if (verb === '%') return '%'
    if (!this.#goodIndex) return this.#complain(`%!${verb}(BADINDEX)`)
    if (this.next >= this.#values.length) return this.#complain(`%!${verb}(MISSING)`)
    return this.#printer.print(
      verb === 'v' || verb === 'w' ? verboseFlags(flags) : flags,
      verb,
      this.#values[this.next++],
    )
  }

  #complain(printed: string): string {
    this.#printing.onBadVerb?.(printed)
    return printed
  }

  #moveTo(index: ArgumentIndex | undefined): void {
    if (index === undefined) return
    if (index >= 0 && index < this.#values.length) this.next = index
    else this.#goodIndex = false
  }

  #integerArgument(): number | undefined {
    if (this.next >= this.#values.length) return undefined
    const value = this.#values[this.next++]
    const kind = kindOf(value)
    if (kind !== 'int' && kind !== 'uint') return undefined
    const number = Number(numberOf(value))
    return Math.abs(number) > TOO_LARGE ? undefined : number
  }
}

function withWidth(flags: Flags, width: number): Flags {
  if (width >= 0) return { ...flags, width }
  return { ...flags, width: -width, minus: true, zero: false }
}

/** `%+v` and `%#v` are flagless formats of their own. */
function verboseFlags(flags: Flags): Flags {
  if (!flags.plus && !flags.sharp) return flags
  return { ...flags, plus: false, sharp: false, plusV: flags.plus, sharpV: flags.sharp }
}

function extraArguments(values: readonly Value[], from: number, printing: Printing): string {
  const printer = new VerbPrinter(printing)
  const extra = values.slice(from).map((value) => {
    if (value === null || value === undefined) return '<nil>'
    return `${typeName(value)}=${printer.print(NO_FLAGS, 'v', value)}`
  })
  const printed = `%!(EXTRA ${extra.join(', ')})`
  printing.onBadVerb?.(printed)
  return printed
}

class DirectiveParser {
  position: number
  readonly #format: string
  #malformed = false
  #afterIndex = false

  constructor(format: string, position: number) {
    this.#format = format
    this.position = position
  }

  parse(literal: string): Directive {
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

  /** The `[n]` here as an index from 0; −1 if malformed; undefined if there is none. */
  #argumentIndex(): ArgumentIndex | undefined {
    this.#afterIndex = false
    if (this.#peek() !== '[') return undefined
    const close = this.#format.indexOf(']', this.position)
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

  #verb(): string {
    const code = this.#format.codePointAt(this.position)
    if (code === undefined) return ''
    const character = String.fromCodePoint(code)
    this.position += character.length
    return isStrayByte(code) ? '\ufffd' : character
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
