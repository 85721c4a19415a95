import { knownCount, namesOf } from '../../util/json/names-of.js'
import { fromBytes } from '../format/from-bytes.js'
import { GoError, LimitError } from '../format/go-error.js'
import { GoTime } from '../library/go-time.js'
import { MAX_NESTING } from '../limits.js'
import { Float, Slice, Typed, type Value } from '../value.js'
import { Pending } from './pending.js'

/** Values with at least this many elements are remembered after they were walked. */
const WORTH_KEEPING = 32

/** A value that the engine cannot use: an instance of a class without fields of its own. */
export class ForeignValueError extends GoError {
  override readonly name = 'ForeignValueError'
  readonly foreign: object

  constructor(foreign: object, path = '') {
    super(`can't use an instance of ${classOf(foreign)}${path}: it has no data of its own`)
    this.foreign = foreign
  }
}

/**
 * Converts foreign values to engine values when they are used. Data from JSON is taken as it is; of other data
 * each list and each map is walked once in a render.
 */
export class ValueAdopter {
  /** Values that were converted, with their engine values. */
  #deep: WeakMap<object, Value> | null = null
  #tops: WeakMap<object, Value> | null = null
  /** Elements and members that were looked at. */
  looked = 0

  /** The value itself, whatever it holds. */
  top(value: object): Value {
    if (isOwn(value)) return value
    const known = this.#tops?.get(value)
    if (known !== undefined) return known
    const adopted = adoptTop(value)
    this.#tops ??= new WeakMap()
    this.#tops.set(value, adopted)
    return adopted
  }

  /** The value with all that it holds. @throws ForeignValueError, LimitError */
  deep(value: Value, depth = 0): Value {
    if (typeof value !== 'object' || value === null) return value
    const known = this.#deep?.get(value)
    if (known !== undefined) return known
    const before = this.looked
    const adopted = this.#adopt(value, depth)
    if (this.looked - before >= WORTH_KEEPING) {
      this.#deep ??= new WeakMap()
      this.#deep.set(value, adopted)
    }
    return adopted
  }

  #adopt(value: object, depth: number): Value {
    if (depth > MAX_NESTING) throw new LimitError('depth', `data nested deeper than ${MAX_NESTING} levels`)
    this.looked++
    if (isRecord(value)) return this.#adoptMembers(value, depth)
    const top = adoptTop(value)
    if (Array.isArray(top)) return this.#adoptList(top, depth)
    return typeof top === 'object' && top !== null && isRecord(top) ? this.#adoptMembers(top, depth) : top
  }

  #adoptList(items: Value[], depth: number): Value[] {
    this.looked += items.length
    let copies: Value[] | undefined
    for (let i = 0; i < items.length; i++) {
      const item = items[i]
      if (typeof item !== 'object' || item === null) continue
      const adopted = this.deep(item, depth + 1)
      if (adopted === item) continue
      copies ??= items.slice()
      copies[i] = adopted
    }
    return copies ?? items
  }

  #adoptMembers(members: Readonly<Record<string, Value>>, depth: number): Value {
    let changed: [string, Value][] | undefined
    for (const name of namesOf(members)) {
      this.looked++
      const item = members[name]
      if (typeof item !== 'object' || item === null) continue
      const adopted = this.deep(item, depth + 1)
      if (adopted === item) continue
      changed ??= []
      changed.push([name, adopted])
    }
    return changed === undefined ? members : Object.fromEntries([...Object.entries(members), ...changed])
  }
}

/** An object of JavaScript as the engine's value of the same meaning. @throws ForeignValueError */
export function adoptTop(value: object): Value {
  if (isOwn(value)) return value
  if (value instanceof Date && !Number.isNaN(value.getTime())) return GoTime.fromMilliseconds(value.getTime())
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), item]))
  if (value instanceof Set) return [...value]
  if (value instanceof Uint8Array) return fromBytes(value)
  if (ArrayBuffer.isView(value) && isIterable(value)) return [...value]
  if (isFieldless(value)) throw new ForeignValueError(value)
  return { ...value }
}

/**
 * How many values a small piece of plain data holds, itself included; −1 for data that holds more, or anything that is
 * not plain. It makes nothing, and what is small needs nothing else.
 */
export function plainSize(value: object, most = WORTH_KEEPING): number {
  if (most <= 0) return -1
  return Array.isArray(value) ? sizeOfList(value, most) : sizeOfRecord(value, most)
}

function sizeOfList(items: readonly Value[], most: number): number {
  if (items.length >= most) return -1
  let size = items.length + 1
  for (let i = 0; i < items.length; i++) {
    const item = items[i]
    if (typeof item !== 'object' || item === null) continue
    const inner = plainSize(item, most - size)
    if (inner < 0) return -1
    size += inner
  }
  return size
}

function sizeOfRecord(value: object, most: number): number {
  if (!isRecord(value) || (knownCount(value) ?? 0) > most) return -1
  let size = 1
  for (const name in value) {
    if (++size > most) return -1
    const item = value[name]
    if (typeof item !== 'object' || item === null) continue
    const inner = plainSize(item, most - size)
    if (inner < 0) return -1
    size += inner
  }
  return size
}

/** True for lists, plain objects and the engine's own values. */
export function isOwn(value: object): boolean {
  return Array.isArray(value) || isRecord(value) || isEngineValue(value)
}

function isEngineValue(value: object): boolean {
  return (
    value instanceof Typed || value instanceof Float || value instanceof Slice || value instanceof Pending
  )
}

/** True for a plain object. */
export function isRecord(value: object): value is Readonly<Record<string, Value>> {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** An Error's own fields are not data: `message` and `stack` are not enumerable. */
function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value
}

function isFieldless(value: object): boolean {
  return value instanceof Date || Object.keys(value).length === 0
}

function classOf(value: object): string {
  if (value instanceof Date) return 'Date without a time'
  return value.constructor?.name || 'a class without a name'
}

/** Where in data an object is, as a path such as `.user.url`; empty if it is not there. */
export function pathTo(data: unknown, wanted: object): string {
  const seen = new Set<unknown>([data])
  const paths: [value: unknown, path: string][] = [[data, '']]
  for (const [value, path] of paths) {
    if (value === wanted) return path
    if (typeof value !== 'object' || value === null) continue
    const members = value instanceof Map ? value : Object.entries(value)
    for (const [name, item] of members) {
      if (typeof item !== 'object' || item === null || seen.has(item)) continue
      seen.add(item)
      paths.push([item, `${path}.${String(name)}`])
    }
  }
  return ''
}
