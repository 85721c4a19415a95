// Part of `quick-format.ts`: one of its directives.

import type { Flags } from '../format/print-verb.js'
import type { Value } from '../value.js'

/** Wider padding is bounded by the limits of a render, which quick printing does not know. */
const MAX_WIDTH = 256
const VERBS = 'sdv'
const ASCII = /^[\0-\x7f]*$/
/** Ints below this are printed once and remembered, where that is asked for. */
const REMEMBERED_INTS = 256
/** Number of values to print before the first is remembered: a template that renders once gains nothing from it. */
const FORGOTTEN_INTS = 256
/** Remembered texts are short. */
const LONGEST_REMEMBERED = 64

/** Lists up to this length are printed without counting what is in them. */
const SHORT_LIST = 16

/** Below this length the JavaScript engine copies what is added together; else a join does. */
const SHORTEST_CHAIN = 13

/** What a directive that can be quick is made from. */
interface Plain {
  readonly flags: Flags
  /** A character, or empty where the format ends before the verb. */
  readonly verb: string
  /** True without `*` and `[n]`. */
  readonly simple: boolean
  readonly malformed: boolean
}

/** A directive that at most pads with spaces or zeros, with the literal text around it. */
export class QuickDirective {
  readonly #before: string
  readonly #after: string
  /** The text before a list with its bracket, and after it. */
  readonly #open: string
  readonly #close: string
  readonly #verb: string
  readonly #width: number
  readonly #pad: 'start' | 'end' | 'zeros'
  /** By the length of a printed int: the text before it with its spaces, made when it is needed. */
  readonly #starts: string[] = []
  /** Printed ints with the text around them; null if there are to be none. */
  readonly #remembered: string[] | null
  #forgotten = 0

  /** @param remembers whether small ints are printed once and for all, at the cost of some kilobytes */
  constructor({ flags, verb }: Plain, before: string, after: string, remembers: boolean) {
    this.#before = before
    this.#after = after
    this.#open = `${before}[`
    this.#close = `]${after}`
    this.#verb = verb
    this.#width = flags.width
    this.#pad = flags.minus ? 'end' : flags.zero ? 'zeros' : 'start'
    const isShort = before.length + Math.max(flags.width, 0) + after.length <= LONGEST_REMEMBERED
    this.#remembered = remembers && isShort && verb !== 's' ? [] : null
  }

  /** A text with the value printed at its end; undefined if that needs more care. */
  append(output: string, value: Value): string | undefined {
    if (typeof value === 'string') return this.#appendText(output, value)
    if (typeof value !== 'number') return this.#appendList(output, value)
    if (this.#verb === 's' || !Number.isSafeInteger(value)) return undefined
    if (this.#remembered === null || value < 0 || value >= REMEMBERED_INTS)
      return this.#appendInt(output, value)
    const remembered = this.#remembered[value]
    if (remembered !== undefined) return output + remembered
    return this.#forgotten++ < FORGOTTEN_INTS
      ? this.#appendInt(output, value)
      : output + this.#remember(value)
  }

  #appendText(output: string, value: string): string | undefined {
    if (this.#verb === 'd') return undefined
    let text = value
    if (this.#width > 0) {
      if (this.#pad === 'zeros' || !ASCII.test(value)) return undefined
      text = this.#padded(value)
    }
    const start = this.#before === '' ? output : output + this.#before
    return this.#after === '' ? start + text : start + text + this.#after
  }

  #appendList(output: string, value: Value): string | undefined {
    if (this.#verb === 'd' || this.#width > 0 || !Array.isArray(value)) return undefined
    const text = shortList(this.#open, value, this.#verb === 'v')
    return text === undefined ? undefined : output + (text + this.#close)
  }

  #appendInt(output: string, value: number): string | undefined {
    // Short texts first: one piece for the output instead of three.
    if (this.#pad === 'start') {
      const text = String(value)
      return output + (this.#startOf(text.length) + text + this.#after)
    }
    const text = this.#printInt(value)
    return text === undefined ? undefined : output + (this.#before + text + this.#after)
  }

  /** The text before a value of this length. */
  #startOf(length: number): string {
    if (length >= this.#width) return this.#before
    const known = this.#starts[length]
    if (known !== undefined) return known
    const start = this.#before + ' '.repeat(this.#width - length)
    this.#starts[length] = start
    return start
  }

  #printInt(value: number): string | undefined {
    if (this.#width <= 0) return String(value)
    if (this.#pad !== 'zeros') return this.#padded(String(value))
    return value < 0 ? undefined : String(value).padStart(this.#width, '0')
  }

  #remember(value: number): string {
    const chain = this.#before + this.#printInt(value) + this.#after
    const text =
      chain.length < SHORTEST_CHAIN ? chain : [this.#before, this.#printInt(value), this.#after].join('')
    if (this.#remembered !== null) this.#remembered[value] = text
    return text
  }

  #padded(text: string): string {
    return this.#pad === 'end' ? text.padEnd(this.#width) : text.padStart(this.#width)
  }
}

/** A text and after it a short list of texts, and of ints if they may be, as Go prints it; undefined for others. */
function shortList(open: string, items: readonly Value[], takesInts: boolean): string | undefined {
  if (items.length > SHORT_LIST) return undefined
  let text = open
  for (let i = 0; i < items.length; i++) {
    const item = items[i]
    const isInt = takesInts && typeof item === 'number' && Number.isSafeInteger(item)
    if (!isInt && typeof item !== 'string') return undefined
    if (i > 0) text += ' '
    text += item
  }
  return text
}

/** Whether a directive needs no more than a `QuickDirective`. */
export function isQuick({ flags, verb, simple, malformed }: Plain): boolean {
  const isPlain = !flags.plus && !flags.sharp && !flags.space && flags.precision < 0
  return simple && !malformed && isPlain && verb !== '' && VERBS.includes(verb) && flags.width <= MAX_WIDTH
}
