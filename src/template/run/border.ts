import type { JsonValue } from '../../util/json.js'
import { MAX_NESTING } from '../format/format-value.js'
import { LimitError } from '../format/go-error.js'
import { Float, Slice, Typed } from '../value.js'

/** Elements and members that one call passes on, on every path. */
const MAX_ELEMENTS = 100_000
/** Characters of its texts and names. */
const MAX_CHARACTERS = 8 << 20

/** Values as plain JSON, with what they hold. */
export interface PlainValues {
  readonly values: JsonValue[]
  readonly elements: number
  readonly characters: number
}

/**
 * Copies what leaves the engine: Go's number types and slices become numbers and lists. The same walk counts and
 * checks, so that nothing is copied that is not passed on.
 *
 * @throws LimitError
 */
export function toPlain(values: readonly unknown[]): PlainValues {
  const walk = new BorderWalk()
  const copies = values.map((value) => walk.copy(value, 0))
  return { values: copies, elements: walk.elements, characters: walk.characters }
}

class BorderWalk {
  elements = 0
  characters = 0

  copy(value: unknown, depth: number): JsonValue {
    switch (typeof value) {
      case 'string':
        this.#read(value)
        return value
      case 'number':
        return Number.isFinite(value) ? value : String(value)
      case 'boolean':
        return value
      case 'bigint':
        return Number.isSafeInteger(Number(value)) ? Number(value) : value
      case 'object':
        return value === null ? null : this.#copyObject(value, depth)
      case 'undefined':
        return null
      default:
        return String(value)
    }
  }

  #copyObject(value: object, depth: number): JsonValue {
    if (value instanceof Float) return value.value
    if (value instanceof Typed) return this.copy(value.value, depth)
    if (depth >= MAX_NESTING) {
      throw new LimitError('depth', `argument nested deeper than ${MAX_NESTING} levels`)
    }
    if (value instanceof Slice) {
      this.#count(value.end - value.start)
      return value.items.slice(value.start, value.end).map((item) => this.copy(item, depth + 1))
    }
    if (Array.isArray(value)) {
      this.#count(value.length)
      return value.map((item) => this.copy(item, depth + 1))
    }
    return this.#copyMembers(value, depth)
  }

  #copyMembers(value: object, depth: number): JsonValue {
    const entries = Object.entries(value)
    this.#count(entries.length)
    return Object.fromEntries(
      entries.map(([name, item]) => {
        this.#read(name)
        return [name, this.copy(item, depth + 1)]
      }),
    )
  }

  #count(elements: number): void {
    this.elements += elements
    if (this.elements <= MAX_ELEMENTS) return
    throw new LimitError('width', `arguments of more than ${MAX_ELEMENTS} elements`)
  }

  #read(text: string): void {
    this.characters += text.length
    if (this.characters <= MAX_CHARACTERS) return
    throw new LimitError('width', `arguments of more than ${MAX_CHARACTERS} characters`)
  }
}
