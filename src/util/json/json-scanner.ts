import { MAX_NUMBER_CHARACTERS } from '../limits.js'
import {
  COLON,
  COMMA,
  JsonCursor,
  LIST_CLOSE,
  LIST_OPEN,
  MINUS,
  NINE,
  NO_MORE,
  OBJECT_CLOSE,
  OBJECT_OPEN,
  skipBlank,
  stopsAt,
  ZERO,
} from './cursor.js'
import { JsonBoundError } from './json-bound-error.js'

/** Shorter numbers are looked at only if they have an exponent of three digits, which needs five characters. */
const MIN_REMARKABLE = 5
/** Integers that a double does not hold are dearer than other values. */
const VALUES_PER_LARGE_INTEGER = 10
/** Of a number in a message. */
const MAX_SHOWN = 40
/** Lists and objects that hold more than this, nested values included, are worth being parsed in pieces. */
const LARGE_CONTAINER = 8_192

/** What JSON text may hold. */
export interface JsonBounds {
  /** List elements, and names and values of objects, nested ones included. */
  readonly maxValues: number
  readonly maxDepth: number
  /** Lists and objects: each takes far more memory than its brackets, even if it is empty. Default: as many as values. */
  readonly maxContainers?: number
}

/** A number in a text whose digits a double does not hold. */
export interface LargeInteger {
  readonly start: number
  readonly end: number
}

const PLUS = 0x2b
const POINT = 0x2e
/** Of a letter. */
const LOWER_CASE = 0x20
const EXPONENT = 0x65

/** Brackets, what separates values, and how numbers begin. */
const STOPS = stopsAt('[]{},:-0123456789')
const INTEGER = /^-?(?:0|[1-9]\d*)$/

/**
 * Goes through JSON text piece by piece before it is parsed: counts what it holds and finds its large integers, in
 * time linear in the text. Whether the text is JSON is for the parser to say.
 */
export class JsonScanner {
  readonly largeIntegers: LargeInteger[] = []
  /**
   * Lists and objects that hold very much: where they begin, and the place of what ended them. Undefined of a text that is
   * too short for any: to make a map takes longer than to go through most texts.
   */
  readonly largeContainers: Map<number, number> | undefined
  /** Of every container around the present place, where it begins and how many values came before it. */
  private readonly around: number[] = []
  private depth = 0
  private readonly text: string
  private readonly bounds: JsonBounds
  private readonly cursor = new JsonCursor(STOPS)
  private values = 1
  private containers = 0

  constructor(text: string, bounds: JsonBounds) {
    this.text = text
    this.bounds = bounds
    this.largeContainers = text.length > LARGE_CONTAINER ? new Map() : undefined
  }

  get isDone(): boolean {
    return this.cursor.at >= this.text.length
  }

  /** List elements, and names and values of objects, so far. */
  get held(): number {
    return this.values
  }

  /** True for a text that takes long to parse in one piece, whether or not what it holds is closed again. */
  get holdsMuch(): boolean {
    return this.values > LARGE_CONTAINER
  }

  /** Scans about this many more characters. @throws JsonBoundError */
  advance(characters: number): void {
    const { text, cursor } = this
    const end = Math.min(text.length, cursor.at + characters)
    for (let code = cursor.next(text, end); code !== NO_MORE; code = cursor.next(text, end)) {
      if (code === COMMA || code === COLON) this.values += 1
      else if (code === OBJECT_OPEN || code === LIST_OPEN) this.open(cursor.at - 1)
      else if (code === OBJECT_CLOSE || code === LIST_CLOSE) this.close(cursor.at - 1)
      else cursor.at = this.endOfNumber(cursor.at - 1)
    }
    const { maxValues, maxContainers = maxValues } = this.bounds
    if (this.values > maxValues) throw new JsonBoundError(`has more than ${maxValues} values`)
    if (this.containers > maxContainers)
      throw new JsonBoundError(`has more than ${maxContainers} lists and objects`)
  }

  private open(start: number): void {
    this.containers += 1
    this.values += 1
    this.depth += 1
    if (this.depth > this.bounds.maxDepth)
      throw new JsonBoundError(`is nested deeper than ${this.bounds.maxDepth} levels`)
    if (this.largeContainers !== undefined) this.around.push(start, this.values)
  }

  private close(end: number): void {
    if (this.depth > 0) this.depth -= 1
    if (this.largeContainers === undefined) return
    const before = this.around.pop() ?? this.values
    const start = this.around.pop() ?? end
    if (this.values - before > LARGE_CONTAINER) this.largeContainers.set(start, end)
  }

  private endOfNumber(start: number): number {
    const { text } = this
    const limit = start + MAX_NUMBER_CHARACTERS
    let end = start + 1
    while (isNumberPart(text.charCodeAt(end))) {
      if (end === limit) throw new JsonBoundError(`has a number of more than ${MAX_NUMBER_CHARACTERS} digits`)
      end += 1
    }
    if (end - start >= MIN_REMARKABLE) this.note(start, end)
    return end
  }

  private note(start: number, end: number): void {
    const token = this.text.slice(start, end)
    const number = Number(token)
    if (!INTEGER.test(token)) {
      if (Math.abs(number) === Number.POSITIVE_INFINITY)
        throw new JsonBoundError(`has an invalid number: ${token.slice(0, MAX_SHOWN)}`)
      return
    }
    if (Number.isSafeInteger(number) || this.isName(end)) return
    this.largeIntegers.push({ start, end })
    this.values += VALUES_PER_LARGE_INTEGER - 1
  }

  /** A number where a name belongs is for the parser to refuse. */
  private isName(end: number): boolean {
    return this.text.charCodeAt(skipBlank(this.text, end)) === COLON
  }
}

/** A digit, a point, a sign or an exponent. */
function isNumberPart(code: number): boolean {
  return (
    (code >= ZERO && code <= NINE) ||
    code === POINT ||
    (code | LOWER_CASE) === EXPONENT ||
    code === MINUS ||
    code === PLUS
  )
}
