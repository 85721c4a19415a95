import { MAX_VERBS } from '../limits.js'
import type { Value } from '../value.js'
import { formatArgument, formatInt } from './format-value.js'
import { checkLength, LimitError } from './go-error.js'
import { kindOf, numberOf, typeName } from './kind.js'
import { type Flags, NO_FLAGS, VerbPrinter } from './print-verb.js'
import type { Printing } from './printing.js'
import { type ArgumentIndex, type Directive, type Format, TOO_LARGE } from './read-format.js'
import { checkElements } from './size.js'

/** Prints values by a format. @throws LimitError if a width or precision exceeds the limit, or the text its own */
export function printFormat(format: Format, values: readonly Value[], printing: Printing): string {
  checkElements(values)
  if (format.isTooLong) throw new LimitError('width', `format of more than ${MAX_VERBS} verbs`)
  let text = ''
  let next = 0
  let run: FormatRun | undefined
  for (const directive of format.directives) {
    checkLength(text.length)
    text += directive.literal
    const plain = next < values.length ? printPlain(directive, values[next]) : undefined
    if (plain !== undefined) {
      text += plain
      next++
      continue
    }
    run ??= new FormatRun(values, printing)
    run.next = next
    text += run.print(directive)
    next = run.next
  }
  text += format.tail
  if (next >= values.length || format.directives.some(isReordered)) return text
  return text + extraArguments(values, next, printing)
}

function isReordered({ widthIndex, precisionIndex, verbIndex }: Directive): boolean {
  return widthIndex !== undefined || precisionIndex !== undefined || verbIndex !== undefined
}

/** A verb that needs no flags, printed without ceremony; undefined for everything else. */
function printPlain({ simple, flags, verb }: Directive, value: Value): string | undefined {
  if (!simple || flags !== NO_FLAGS) return undefined
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
    if (directive.simple) return this.#verb(directive.verb, directive.flags)
    const diagnostics: string[] = []
    const flags = this.#readFlags(directive, diagnostics)
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
