import { namesOf } from '../../util/json/names-of.js'
import { wellFormed } from '../format/byte-string.js'
import { formatArgument } from '../format/format-value.js'
import { LimitError } from '../format/go-error.js'
import { elementsOf, entriesOf, itemsOf, kindOf, numberOf, Stringer } from '../format/kind.js'
import { GoTime } from '../library/go-time.js'
import { MAX_NESTING, MAX_PASSED } from '../limits.js'
import { Nothing } from '../nothing.js'
import { Float, Slice, Typed, type Value } from '../value.js'
import { adoptTop, isRecord } from './value-adopter.js'

/**
 * What the engine's values are as plain JavaScript; the way back is `value-adopter.ts`.
 *
 * | Go | a function gets | JSON gets | a function or the data gives |
 * |---|---|---|---|
 * | int, uint | number, bigint beyond 2^53 | the same | a whole number, bigint |
 * | float64 | number | number, a text for NaN and infinities | any other number |
 * | string | string with U+FFFD for bytes that are not UTF-8 | the same | string, Uint8Array |
 * | lists | array | array | array, Set, typed array |
 * | maps | object | object | object, Map, an instance with own fields |
 * | time.Time | Date | RFC 3339 text | Date |
 * | nil | null | null | null, undefined |
 * | others | what `%v` prints | the same | |
 */
export type BorderForm = 'plain' | 'json'

/** Values that left the engine, with what they hold. */
export interface PlainValues {
  readonly values: unknown[]
  readonly elements: number
  readonly characters: number
}

/**
 * What leaves the engine. The same walk counts and checks, so that nothing is copied that is not passed on; what holds
 * nothing of the engine is not copied at all.
 *
 * @throws LimitError
 */
export function toPlain(values: readonly Value[], form: BorderForm): PlainValues {
  const walk = new PlainWalk(form)
  const copies = values.map((value) => walk.copy(value, 0))
  return { values: copies, elements: walk.elements, characters: walk.characters }
}

class PlainWalk {
  elements = 0
  characters = 0
  readonly #form: BorderForm

  constructor(form: BorderForm) {
    this.#form = form
  }

  copy(value: Value, depth: number): unknown {
    switch (typeof value) {
      case 'string':
        this.#read(value)
        return wellFormed(value)
      case 'number':
        return this.#form === 'json' && !Number.isFinite(value) ? String(value) : value
      case 'bigint':
        return Number.isSafeInteger(Number(value)) ? Number(value) : value
      case 'object':
        return value === null ? null : this.#copyObject(value, depth)
      case 'undefined':
        return null
      case 'boolean':
        return value
      default:
        return this.#form === 'json' ? String(value) : value
    }
  }

  #copyObject(value: object, depth: number): unknown {
    if (value instanceof Float) return this.copy(value.value, depth)
    if (value instanceof Stringer) return this.#copyStringer(value, depth)
    if (depth >= MAX_NESTING) {
      throw new LimitError('depth', `argument nested deeper than ${MAX_NESTING} levels`)
    }
    if (value instanceof Typed) return this.#copyTyped(value, depth)
    if (Array.isArray(value)) return this.#copyList(value, depth)
    if (value instanceof Slice) return this.#copyList(elementsOf(value), depth)
    if (isRecord(value)) return this.#copyMembers(value, depth)
    return this.#form === 'plain' ? value : this.copy(adoptTop(value), depth)
  }

  #copyStringer(value: Stringer, depth: number): unknown {
    if (value instanceof Nothing) return null
    if (value instanceof GoTime) return this.#form === 'json' ? value.toJSON() : value.toDate()
    return kindOf(value) === 'int' ? this.copy(value.value, depth) : this.copy(value.text(), depth)
  }

  #copyTyped(value: Typed, depth: number): unknown {
    switch (kindOf(value)) {
      case 'int':
      case 'uint':
      case 'float':
        return this.copy(numberOf(value), depth)
      case 'slice':
        return this.#copyList(itemsOf(value), depth)
      case 'map':
        return this.#copyMembers(entriesOf(value), depth)
      default:
        return this.copy(formatArgument(value), depth)
    }
  }

  #copyList(items: readonly Value[], depth: number): readonly unknown[] {
    this.#count(items.length)
    const copies = items.map((item) => this.copy(item, depth + 1))
    return copies.every((copy, index) => Object.is(copy, items[index])) ? items : copies
  }

  #copyMembers(members: Readonly<Record<string, Value>>, depth: number): object {
    const names = namesOf(members)
    this.#count(names.length)
    let isSame = true
    const copies = names.map((name): [string, unknown] => {
      this.#read(name)
      const item = members[name]
      const copy = this.copy(item, depth + 1)
      const key = wellFormed(name)
      isSame &&= Object.is(copy, item) && key === name
      return [key, copy]
    })
    return isSame ? members : Object.fromEntries(copies)
  }

  #count(elements: number): void {
    const most = MAX_PASSED[this.#form].elements
    this.elements += elements
    if (this.elements > most) throw new LimitError('width', `arguments of more than ${most} elements`)
  }

  #read(text: string): void {
    const most = MAX_PASSED[this.#form].characters
    this.characters += text.length
    if (this.characters > most) throw new LimitError('width', `arguments of more than ${most} characters`)
  }
}
