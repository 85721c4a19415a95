import { at } from '../at.js'
import { define } from '../define.js'
import type { Sliced } from '../slices/sliced.js'
import {
  COMMA,
  JsonCursor,
  LIST_CLOSE,
  LIST_OPEN,
  NO_MORE,
  OBJECT_CLOSE,
  OBJECT_OPEN,
  skipBlank,
  stopsAt,
} from './cursor.js'
import { parseExactly, parseExactlyInSteps } from './exact-json.js'
import { isJsonObject } from './json.js'
import { isJsonList } from './json-fields.js'
import { readJsonInPieces } from './json-reader.js'
import type { JsonScanner, LargeInteger } from './json-scanner.js'
import type { JsonValue } from './json-value.js'
import { NamesOfParts } from './names-of.js'

/** Values that are parsed together: a millisecond or two. */
const PIECE_VALUES = 4_096
/** Longer pieces end at the next comma, however little they hold. */
const PIECE_CHARACTERS = 65_536

/** Brackets, and the commas between members. */
const STOPS = stopsAt('[]{},')

/** What a scanner found in a text. */
type Scanned = Pick<JsonScanner, 'largeContainers' | 'largeIntegers' | 'holdsMuch'>

/**
 * Parses JSON text that a scanner went through. The lists and objects that hold very much are cut at their commas, and
 * each piece goes through the native parser: what it makes is the same, but nobody waits for it as a whole.
 *
 * @throws SyntaxError in the words of the native parser, or JsonSyntaxError of a text that holds very much
 */
export function* parseInPieces(text: string, scanned: Scanned): Sliced<JsonValue> {
  const start = skipBlank(text, 0)
  if (scanned.largeContainers?.has(start)) {
    try {
      const value = yield* new PieceReader(text, scanned).container(start)
      const end = scanned.largeContainers.get(start) ?? text.length
      if (skipBlank(text, end + 1) === text.length) return value
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
  }
  // Also for texts that are not JSON: the error is about the whole text.
  if (scanned.holdsMuch) return yield* readJsonInPieces(text)
  return yield* parseExactlyInSteps(text, scanned.largeIntegers)
}

/** Where the members of a container are collected. */
type Members = JsonValue[] | Record<string, JsonValue>

/** A container as far as it was read. */
interface Container {
  readonly members: Members
  readonly names: NamesOfParts
}

class PieceReader {
  readonly #text: string
  readonly #ends: ReadonlyMap<number, number> | undefined
  readonly #integers: readonly LargeInteger[]
  /** How many of the integers lie before the present place. */
  #passed = 0

  constructor(text: string, { largeContainers, largeIntegers }: Scanned) {
    this.#text = text
    this.#ends = largeContainers
    this.#integers = largeIntegers
  }

  /** A large container that begins here. */
  *container(start: number): Sliced<JsonValue> {
    const end = this.#ends?.get(start) ?? start
    const isList = this.#text.charCodeAt(start) === LIST_OPEN
    if (this.#text.charCodeAt(end) !== (isList ? LIST_CLOSE : OBJECT_CLOSE)) throw new SyntaxError()
    const members: Members = isList ? [] : {}
    const names = new NamesOfParts()
    let from = start + 1
    while (from < end) {
      const { stop, member, large } = this.#pieceFrom(from, end)
      if (member > from) this.#take({ members, names }, from, large === undefined ? stop : member - 1)
      from = large === undefined ? stop + 1 : yield* this.#nested({ members, names }, member, large, end)
      yield
    }
    // A comma before the end.
    if (from === end) throw new SyntaxError()
    if (!isList) names.remember(members)
    return members
  }

  /**
   * Goes over members until they are many enough, to the end, or to one that is a large container itself.
   *
   * @returns where the piece stops (a comma, or the end), where its last member begins, and where in that one a large
   * container begins
   */
  #pieceFrom(from: number, end: number): Piece {
    let member = from
    let values = 0
    let depth = 0
    const text = this.#text
    const cursor = new JsonCursor(STOPS, from)
    for (let code = cursor.next(text, end); code !== NO_MORE; code = cursor.next(text, end)) {
      const offset = cursor.at - 1
      if (code === OBJECT_OPEN || code === LIST_OPEN) {
        if (depth === 0 && this.#ends?.has(offset)) return { stop: offset, member, large: offset }
        depth += 1
      } else if (code === COMMA) {
        values += 1
        const isEnough = values >= PIECE_VALUES || offset - from >= PIECE_CHARACTERS
        if (depth === 0 && isEnough) return { stop: offset, member: offset, large: undefined }
        if (depth === 0) member = offset + 1
      } else depth -= 1
    }
    return { stop: end, member: end, large: undefined }
  }

  /** Parses members from here up to a comma or the end. */
  #take({ members, names }: Container, from: number, to: number): void {
    const inside = this.#text.slice(from, to)
    const isList = Array.isArray(members)
    const piece = parseExactly(isList ? `[${inside}]` : `{${inside}}`, this.#integersBetween(from, to))
    if (!addAll(members, piece, names)) throw new SyntaxError()
  }

  /** Those of a piece, counted from the bracket before it. */
  #integersBetween(from: number, to: number): readonly LargeInteger[] {
    const found: LargeInteger[] = []
    for (; this.#passed < this.#integers.length; this.#passed += 1) {
      const { start, end } = at(this.#integers, this.#passed)
      if (start >= to) break
      found.push({ start: start - from + 1, end: end - from + 1 })
    }
    return found
  }

  /** Reads the member whose value is a large container; answers where the next member begins. */
  *#nested({ members, names }: Container, member: number, large: number, end: number): Sliced<number> {
    const name = this.#nameBefore(Array.isArray(members), member, large)
    const value = yield* this.container(large)
    if (Array.isArray(members)) members.push(value)
    else addMember(members, name, value, names)
    const next = skipBlank(this.#text, (this.#ends?.get(large) ?? large) + 1)
    if (next === end) return end + 1
    if (this.#text.charCodeAt(next) !== COMMA) throw new SyntaxError()
    return next + 1
  }

  /** The text before a value: a name and a colon in objects, nothing in lists. */
  #nameBefore(isList: boolean, from: number, to: number): string {
    const before = this.#text.slice(from, to).trimEnd()
    if (isList ? before !== '' : !before.endsWith(':')) throw new SyntaxError()
    return isList ? '' : at(Object.keys(JSON.parse(`{${before}0}`)), 0)
  }
}

/** Members that are parsed together, or a single one that is large. */
interface Piece {
  readonly stop: number
  readonly member: number
  readonly large: number | undefined
}

/** Adds what a piece holds; false for one that holds nothing. */
function addAll(members: Members, piece: JsonValue, names: NamesOfParts): boolean {
  if (Array.isArray(members)) {
    if (!isJsonList(piece)) return false
    for (const item of piece) members.push(item)
    return piece.length > 0
  }
  const entries = isJsonObject(piece) ? Object.entries(piece) : []
  for (const [name, value] of entries) addMember(members, name, value, names)
  return entries.length > 0
}

function addMember(
  members: Record<string, JsonValue>,
  name: string,
  value: JsonValue,
  names: NamesOfParts,
): void {
  names.add(name, !Object.hasOwn(members, name))
  define(members, name, value)
}
