// Gain: `bench:template`, "history of 100 messages" to a string 14 → 2.8 µs.
// On in one line: `compiled` of `code/expressions/printf.ts`. What it cannot print goes the way of every format.

import type { CallCost } from '../api.js'
import { costOfFormat } from '../format/cost-of-format.js'
import { printFormat } from '../format/print-format.js'
import { GO_PRINTING, type Printing } from '../format/printing.js'
import { type Directive, type Format, readFormat } from '../format/read-format.js'
import type { Value } from '../value.js'
import { isQuick, QuickDirective } from './quick-directive.js'

/** Verbs of a format that are prepared: a call with more values is not printed one by one. */
const MAX_QUICK = 16

/** A literal format that was read once and is run often, by plain verbs and padding over strings and ints. */
export class QuickFormat {
  readonly #format: Format
  #cost: CallCost | null = null
  /** The directives if all of them are plain, and few; else none. */
  readonly #quick: readonly QuickDirective[]

  /** @param remembers whether it keeps the texts of small ints */
  constructor(format: Format, remembers: boolean) {
    this.#format = format
    this.#quick = isQuickFormat(format) ? quickDirectives(format, remembers) : []
  }

  /** A text with exactly this value printed at its end; undefined if that needs more care. */
  append1(output: string, first: Value): string | undefined {
    const [only] = this.#quick
    return this.#quick.length === 1 ? only?.append(output, first) : undefined
  }

  /** Appends two values; undefined where Go's way has to be taken. */
  append2(output: string, first: Value, second: Value): string | undefined {
    const quick = this.#quick
    if (quick.length !== 2) return undefined
    const text = quick[0]?.append(output, first)
    return text === undefined ? undefined : quick[1]?.append(text, second)
  }

  /** Appends three values; undefined where Go's way has to be taken. */
  append3(output: string, first: Value, second: Value, third: Value): string | undefined {
    const quick = this.#quick
    if (quick.length !== 3) return undefined
    const start = quick[0]?.append(output, first)
    if (start === undefined) return undefined
    const text = quick[1]?.append(start, second)
    return text === undefined ? undefined : quick[2]?.append(text, third)
  }

  /** What it costs to print by it, beside what every printf costs. */
  costOf(cost: CallCost): CallCost {
    this.#cost ??= costOfFormat(cost, this.#format)
    return this.#cost
  }

  /** Prints whatever values there are. @throws LimitError if a width or precision exceeds the limit */
  format(values: readonly Value[], printing: Printing = GO_PRINTING): string {
    return printFormat(this.#format, values, printing)
  }
}

/** Reads the literal format of a template. @param remembers whether it keeps the texts of small ints */
export function quickFormat(format: string, remembers: boolean): QuickFormat {
  return new QuickFormat(readFormat(format), remembers)
}

/**
 * A literal format and the text at its end, which is apart if all verbs are plain, one for each value; else it is empty.
 *
 * @param remembers whether the format keeps the texts of small ints
 */
export function quickFormatAndTail(
  text: string,
  remembers: boolean,
  values: number,
): readonly [format: QuickFormat, tail: string] {
  const format = readFormat(text)
  if (format.directives.length !== values || !isQuickFormat(format)) {
    return [new QuickFormat(format, remembers), '']
  }
  return [new QuickFormat({ ...format, tail: '' }, remembers), format.tail]
}

function isQuickFormat({ directives }: Format): boolean {
  return directives.length <= MAX_QUICK && directives.every(isQuick)
}

/** Literal text goes with the directive before it, and the first with the first. */
function quickDirectives({ directives, tail }: Format, remembers: boolean): readonly QuickDirective[] {
  return directives.map((directive: Directive, i) => {
    const after = directives[i + 1]?.literal ?? tail
    return new QuickDirective(directive, i === 0 ? directive.literal : '', after, remembers)
  })
}
