import { at } from '../util/at.js'
import { define } from '../util/define.js'
import type { JsonValue } from '../util/json/json.js'
import { NamesOfParts, namesOf } from '../util/json/names-of.js'
import { MAX_FOREIGN_DEPTH, MAX_NUMBER_CHARACTERS, TOOL_ANSWER_BOUNDS } from '../util/limits.js'
import { room } from '../util/slices/pause.js'
import { runInTurns, type Sliced } from '../util/slices/sliced.js'
import { ToolFailure } from './tool-failure.js'

/** Values that are looked at in one piece. */
const MAX_SMALL = 1_024
/** Of a character in UTF-8. */
const MAX_CHARACTER_BYTES = 3
/** What a value or a name counts beside its characters: about what JSON puts around it. */
const VALUE_BYTES = 3
/** Values that are copied in one piece. */
const PIECE = 256
const MAX_INTEGER = 10n ** BigInt(MAX_NUMBER_CHARACTERS)

/**
 * What a function of the program answered, as JSON: plain values as they are, others as `JSON.stringify` reads them, and
 * integers of any length. An answer that holds much is copied in slices, so that nothing changes it meanwhile.
 *
 * @param maxBytes of its texts and names in UTF-8, and three for each value and name
 * @throws ToolFailure `too_large`, or `bad_response` for more values or levels than an answer may have; TypeError for
 * circles; or rejects with them
 */
export function readLocalAnswer(value: unknown, maxBytes: number): JsonValue | Promise<JsonValue> {
  if (value === undefined) return null
  // Many functions may have answered in this turn of the event loop.
  const turn = isSimple(value) ? undefined : room()
  return turn === undefined ? begun(value, maxBytes) : turn.then(() => begun(value, maxBytes))
}

function begun(value: unknown, maxBytes: number): JsonValue | Promise<JsonValue> {
  const look = new SmallLook(maxBytes)
  if (look.isPlain(value, MAX_FOREIGN_DEPTH)) return value
  const work = new AnswerCopy(maxBytes).of(value, '')
  if (look.isOver) return continued(work)
  const step = work.next()
  return step.done === true ? (step.value ?? null) : continued(work)
}

async function continued(work: Sliced<JsonValue | undefined>): Promise<JsonValue> {
  return (await runInTurns(work)) ?? null
}

/** Looks at an answer no further than a small one goes. */
class SmallLook {
  #values = MAX_SMALL
  #characters: number

  constructor(maxBytes: number) {
    this.#characters = maxBytes / MAX_CHARACTER_BYTES - MAX_SMALL * VALUE_BYTES
  }

  /** Whether it has seen more values than a small answer has. */
  get isOver(): boolean {
    return this.#values < 0
  }

  /** Whether a value is small, and JSON as it is. */
  isPlain(value: unknown, levels: number): value is JsonValue {
    this.#values -= 1
    if (typeof value === 'string') return this.#has(value.length)
    if (typeof value === 'number') return Number.isFinite(value)
    if (typeof value === 'boolean' || value === null) return true
    if (typeof value === 'bigint') return isShort(value)
    if (typeof value !== 'object' || levels === 0) return false
    if (Array.isArray(value)) return this.#isPlainList(value, levels - 1)
    return hasFields(value) && this.#isPlainObject(value, levels - 1)
  }

  #isPlainList(list: readonly unknown[], levels: number): boolean {
    for (let index = 0; index < list.length; index += 1)
      if (!this.isPlain(list[index], levels) || this.#values < 0) return false
    return true
  }

  #isPlainObject(object: Readonly<Record<string, unknown>>, levels: number): boolean {
    const prototype: unknown = Object.getPrototypeOf(object)
    if (prototype !== Object.prototype && prototype !== null) return false
    for (const name in object)
      if (!this.#has(name.length) || !this.isPlain(object[name], levels) || this.#values < 0) return false
    return true
  }

  #has(characters: number): boolean {
    this.#characters -= characters
    return this.#characters >= 0
  }
}

/** Copies an answer, within its bounds. */
class AnswerCopy {
  readonly #maxBytes: number
  /** The lists and objects around the present place. */
  readonly #around = new Set<object>()
  #bytes = 0
  #values = 0
  /** Values after which others may have a turn. */
  #due = PIECE

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /**
   * A value as JSON; undefined for what JSON leaves out.
   *
   * @param name of the value in what holds it, for its `toJSON`
   */
  *of(given: unknown, name: string): Sliced<JsonValue | undefined> {
    const value = this.#represented(given, name)
    if (typeof value === 'function') return undefined
    return isSimple(value) ? this.#simple(value) : yield* this.#container(value, name)
  }

  /** What `JSON.stringify` reads in place of a value. */
  #represented(given: unknown, name: string): unknown {
    if ((typeof given !== 'object' && typeof given !== 'function') || given === null) return given
    // The bytes of a buffer become a list in one piece.
    if (ArrayBuffer.isView(given) && 'length' in given) this.#assertRoom(Number(given.length))
    const toJson: unknown = Reflect.get(given, 'toJSON')
    const value: unknown = typeof toJson === 'function' ? toJson.call(given, name) : given
    return isBox(value) ? value.valueOf() : value
  }

  #simple(value: Simple): JsonValue | undefined {
    if (typeof value === 'string') {
      this.#count(this.#bytesOf(value))
      return value
    }
    this.#count(0)
    if (typeof value === 'number') return Number.isFinite(value) ? value : null
    if (typeof value === 'bigint' && !isShort(value))
      throw new ToolFailure(
        'bad_response',
        `the answer has a number of more than ${MAX_NUMBER_CHARACTERS} digits`,
      )
    return typeof value === 'symbol' || typeof value === 'function' ? undefined : value
  }

  *#container(value: object, name: string): Sliced<JsonValue> {
    if (this.#around.has(value)) throw circle(name)
    if (this.#around.size === MAX_FOREIGN_DEPTH)
      throw new ToolFailure('bad_response', `the answer is nested deeper than ${MAX_FOREIGN_DEPTH} levels`)
    this.#count(0)
    this.#around.add(value)
    const copy = Array.isArray(value) ? yield* this.#list(value) : yield* this.#object(value)
    this.#around.delete(value)
    return copy
  }

  *#list(list: readonly unknown[]): Sliced<JsonValue> {
    this.#assertRoom(list.length)
    const copy: JsonValue[] = []
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index]
      copy.push((isSimple(item) ? this.#simple(item) : yield* this.of(item, String(index))) ?? null)
      if (this.#isDue()) yield
    }
    return copy
  }

  *#object(object: object): Sliced<JsonValue> {
    if (!hasFields(object)) return null
    const copy: Record<string, JsonValue> = {}
    // V8 gathers them in one piece, 26 ms for 100,000; the parts of JSON that was read in pieces have them already.
    const names = namesOf(object)
    const known = names.length > MAX_SMALL ? new NamesOfParts() : undefined
    for (let index = 0; index < names.length; index += 1) {
      const name = at(names, index)
      const given = object[name]
      const value = isSimple(given) ? this.#simple(given) : yield* this.of(given, name)
      if (value !== undefined) {
        // As of JSON text, of which names count as values do.
        this.#count(this.#bytesOf(name))
        known?.add(name, true)
        define(copy, name, value)
      }
      if (this.#isDue()) yield
    }
    known?.remember(copy)
    return copy
  }

  #isDue(): boolean {
    if (this.#values < this.#due) return false
    this.#due = this.#values + PIECE
    return true
  }

  #bytesOf(text: string): number {
    // What is far over the bound is not gone through.
    return text.length > this.#maxBytes ? text.length : Buffer.byteLength(text)
  }

  #count(bytes: number): void {
    this.#assertRoom(1)
    this.#values += 1
    this.#bytes += bytes + VALUE_BYTES
    if (this.#bytes > this.#maxBytes)
      throw new ToolFailure('too_large', `the answer is larger than ${this.#maxBytes} bytes`)
  }

  /** @param values that would come to those there are */
  #assertRoom(values: number): void {
    const { maxValues } = TOOL_ANSWER_BOUNDS
    if (this.#values + values > maxValues)
      throw new ToolFailure('bad_response', `the answer has more than ${maxValues} values`)
  }
}

/** What has nothing in it to look at. */
type Simple = string | number | bigint | boolean | symbol | null | undefined | (() => unknown)

function isSimple(value: unknown): value is Simple {
  return typeof value !== 'object' ? typeof value !== 'function' || !('toJSON' in value) : value === null
}

/** Whether JSON writes an object as what is in it. */
function isBox(value: unknown): value is number | string | boolean | bigint {
  return (
    value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt
  )
}

function isShort(integer: bigint): boolean {
  return integer < MAX_INTEGER && integer > -MAX_INTEGER
}

function hasFields(value: object): value is Readonly<Record<string, unknown>> {
  return !Array.isArray(value)
}

/** In the words of `JSON.stringify`. */
function circle(name: string): TypeError {
  return new TypeError(`Converting circular structure to JSON\n    --- property '${name}' closes the circle`)
}
