import { namesOf } from '../../util/json/names-of.js'
import { equalStrings, normalizeBytes } from '../format/byte-string.js'
import { checkNesting } from '../format/format-value.js'
import { elementOf, elementsOf, entriesOf, kindOf, numberOf, Stringer, typeName } from '../format/kind.js'
import { isInt, Typed, type Value } from '../value.js'

/** reflect.DeepEqual: types count, so the int 1 differs from the float64 1. */
export function deepEqual(left: Value, right: Value): boolean {
  if (typeof left === 'string' && typeof right === 'string') return equalStrings(left, right)
  // Most of what long lists are searched for.
  if (typeof left === 'number' && typeof right === 'number')
    return left === right && isInt(left) === isInt(right)
  const kind = kindOf(left)
  if (kind === 'invalid') return kindOf(right) === 'invalid'
  if (typeName(left) !== typeName(right)) return false
  switch (kind) {
    case 'int':
    case 'uint':
    case 'float':
      // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number may hold the same integer
      return numberOf(left) == numberOf(right)
    case 'slice':
      return equalLists(elementsOf(left), elementsOf(right))
    case 'map':
      return equalMaps(left, right)
    default:
      if (left instanceof Stringer && right instanceof Stringer) return left.text() === right.text()
      return left === right
  }
}

function equalLists(left: readonly Value[], right: readonly Value[]): boolean {
  return left.length === right.length && left.every((item, i) => deepEqual(item, right[i]))
}

function equalMaps(left: Value, right: Value): boolean {
  const leftEntries = entriesOf(left)
  const rightEntries = entriesOf(right)
  const keys = namesOf(leftEntries)
  if (keys.length !== namesOf(rightEntries).length) return false
  return keys.every(
    (key) =>
      Object.hasOwn(rightEntries, key) &&
      deepEqual(elementOf(left, leftEntries[key]), elementOf(right, rightEntries[key])),
  )
}

/**
 * Texts that are the same for values that `deepEqual` calls equal, and for no others, so that one value is looked for among
 * many without being compared with each.
 */
export class Fingerprints {
  /** What equals only itself, by its number. */
  readonly #references = new Map<Value, number>()
  #unequal = 0

  /** @throws LimitError for values that are nested too deeply */
  of(value: Value, depth = 0): string {
    checkNesting(depth)
    if (typeof value === 'string') return textPrint(value)
    const kind = kindOf(value)
    switch (kind) {
      case 'invalid':
        return 'nil'
      case 'int':
      case 'uint':
      case 'float':
        return this.#number(value)
      case 'slice':
        return `${typeName(value)}[${this.#all(elementsOf(value), depth)}]`
      case 'map':
        return `${typeName(value)}{${this.#members(value, depth)}}`
      default:
        if (value instanceof Stringer) return `${typeName(value)}${textPrint(value.text())}`
        return typeof value === 'boolean' ? String(value) : `#${this.#reference(value)}`
    }
  }

  /** NaN equals nothing, itself neither. */
  #number(value: Value): string {
    const number = numberOf(value)
    return Number.isNaN(number) ? `NaN${++this.#unequal}` : `${typeName(value)}:${number}`
  }

  #all(items: readonly Value[], depth: number): string {
    let text = ''
    for (const item of items) text += `${this.of(item, depth + 1)},`
    return text
  }

  #members(map: Value, depth: number): string {
    const entries = entriesOf(map)
    let text = ''
    for (const key of [...namesOf(entries)].sort()) {
      text += `${key.length}:${key}=${this.of(elementOf(map, entries[key]), depth + 1)},`
    }
    return text
  }

  #reference(value: Value): number {
    const known = this.#references.get(value)
    if (known !== undefined) return known
    this.#references.set(value, this.#references.size)
    return this.#references.size - 1
  }
}

/** With its length, so that nothing in a text is mistaken for the syntax around it. */
function textPrint(text: string): string {
  const normal = normalizeBytes(text)
  return `${normal.length}"${normal}`
}

/** Values that others are looked for among, each in a time that does not grow with their number. */
export class ValueSet {
  readonly #fingerprints = new Fingerprints()
  readonly #texts = new Set<string>()
  readonly #others = new Set<number | string>()

  constructor(values: readonly Value[] = []) {
    for (const value of values) this.add(value)
  }

  has(value: Value): boolean {
    return typeof value === 'string'
      ? this.#texts.has(normalizeBytes(value))
      : this.#others.has(this.#key(value))
  }

  /** @returns false if it was there */
  add(value: Value): boolean {
    const before = this.#texts.size + this.#others.size
    if (typeof value === 'string') this.#texts.add(normalizeBytes(value))
    else this.#others.add(this.#key(value))
    return this.#texts.size + this.#others.size > before
  }

  /** Most are plain numbers. */
  #key(value: Value): number | string {
    const plain = value instanceof Typed && value.type === 'int' ? value.value : value
    const isPlain = typeof plain === 'number' && (Number.isSafeInteger(plain) || !Number.isInteger(plain))
    return isPlain && !Number.isNaN(plain) ? plain : this.#fingerprints.of(value)
  }
}

/** Whether one of the values equals the wanted one, which is looked at once. */
export function includesValue(values: readonly Value[], wanted: Value): boolean {
  if (typeof wanted === 'string') return includesText(values, wanted)
  if (typeof wanted !== 'object' || wanted === null) return values.some((value) => deepEqual(value, wanted))
  const fingerprints = new Fingerprints()
  const type = typeName(wanted)
  const fingerprint = fingerprints.of(wanted)
  return values.some((value) => typeName(value) === type && fingerprints.of(value) === fingerprint)
}

function includesText(values: readonly Value[], wanted: string): boolean {
  const normal = normalizeBytes(wanted)
  return values.some(
    (value) => typeof value === 'string' && (value === normal || normalizeBytes(value) === normal),
  )
}
