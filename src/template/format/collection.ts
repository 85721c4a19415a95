import { countNames } from '../../util/json/names-of.js'
import { NOTHING, Nothing } from '../nothing.js'
import { Slice, Typed, type Value } from '../value.js'
import { byteLength, isAscii, sliceBytes, toBytes } from './byte-string.js'
import { GoError } from './go-error.js'
import { elementOf, entriesOf, itemsOf, kindOf, listLength, numberOf, typeName, zeroElement } from './kind.js'

/** Go's int is what a range check compares with. */
const MAX_INT64 = 2n ** 63n - 1n

/** The `len` builtin. */
export function length(value: Value): number {
  if (value === undefined) throw new GoError('reflect: call of reflect.Value.Type on zero Value')
  if (value === null) throw new GoError('len of nil pointer')
  if (value instanceof Nothing) return 0
  if (typeof value === 'string') return byteLength(value)
  switch (kindOf(value)) {
    case 'slice':
      return listLength(value)
    case 'map':
      return countNames(entriesOf(value))
    default:
      throw new GoError(`len of type ${typeName(value)}`)
  }
}

/** The `index` builtin: `index x 1 2` is `x[1][2]`. */
export function index(item: Value, ...indexes: Value[]): Value {
  if (isNil(item)) throw new GoError('index of untyped nil')
  let current = item
  for (const key of indexes) {
    if (current instanceof Nothing || key instanceof Nothing) return NOTHING
    current = indexOnce(current, key)
  }
  return current
}

/**
 * Marker of an index argument of `slice` that is a field of the data: Go's `slice` does not look into the
 * interface that holds it and refuses `{{slice .list .number}}`, whatever the number.
 */
export const INTERFACE_ARGUMENT: Value = new Typed('interface {}', null)

/** The `slice` builtin: `slice x 1 2` is `x[1:2]`. */
export function slice(item: Value, ...indexes: Value[]): Value {
  if (isNil(item)) throw new GoError('slice of untyped nil')
  if (item instanceof Nothing) return NOTHING
  if (indexes.length > 3) throw new GoError(`too many slice indexes: ${indexes.length}`)
  if (typeof item === 'string') return sliceText(item, indexes)
  if (kindOf(item) !== 'slice') throw new GoError(`can't slice item of type ${typeName(item)}`)
  return sliceList(item, indexes)
}

function sliceText(text: string, indexes: readonly Value[]): string {
  if (indexes.length === 3) throw new GoError('cannot 3-index slice a string')
  const size = byteLength(text)
  const { start, end } = sliceBounds(indexes, size, size)
  return sliceBytes(text, start, end === size ? undefined : end)
}

function indexOnce(item: Value, key: Value): Value {
  if (isNil(item)) throw new GoError('index of nil pointer')
  if (typeof item === 'string') return byteAt(item, key)
  switch (kindOf(item)) {
    case 'slice':
      return itemAt(item, key)
    case 'map':
      return entryOf(item, key)
    default:
      throw new GoError(`can't index item of type ${typeName(item)}`)
  }
}

function byteAt(text: string, key: Value): Value {
  const at = indexArgument(key, byteLength(text))
  const byte = isAscii(text) ? text.charCodeAt(at) : toBytes(text)[at]
  if (byte === undefined || Number.isNaN(byte)) throw new GoError('reflect: string index out of range')
  return new Typed('uint8', byte)
}

function itemAt(list: Value, key: Value): Value {
  const size = listLength(list)
  const at = indexArgument(key, size)
  if (at === size) throw new GoError('reflect: slice index out of range')
  if (Array.isArray(list)) return list[at] ?? null
  if (list instanceof Slice) return list.items[list.start + at] ?? null
  return elementOf(list, itemsOf(list)[at]) ?? null
}

function entryOf(map: Value, key: Value): Value {
  if (isNil(key)) throw new GoError('value is nil; should be of type string')
  if (typeof key !== 'string') throw new GoError(`value has type ${typeName(key)}; should be string`)
  const entries = entriesOf(map)
  if (!Object.hasOwn(entries, key)) return zeroElement(map)
  return elementOf(map, entries[key]) ?? null
}

function sliceList(list: Value, indexes: readonly Value[]): Value {
  const size = listLength(list)
  if (list instanceof Typed) {
    const { start, end } = sliceBounds(indexes, size, size)
    return new Typed(list.type, itemsOf(list).slice(start, end))
  }
  const window = list instanceof Slice ? list : new Slice(itemsOf(list), 0, size, size)
  const bounds = sliceBounds(indexes, size, window.limit - window.start)
  const start = window.start + bounds.start
  const end = window.start + bounds.end
  const limit = bounds.limit === undefined ? window.limit : window.start + bounds.limit
  return end === limit ? window.items.slice(start, end) : new Slice(window.items, start, end, limit)
}

function sliceBounds(
  indexes: readonly Value[],
  size: number,
  capacity: number,
): { readonly start: number; readonly end: number; readonly limit: number | undefined } {
  const [start = 0, end = size, limit] = indexes.map((value) => indexArgument(value, capacity))
  if (start > end) throw new GoError(`invalid slice index: ${start} > ${end}`)
  if (limit !== undefined && end > limit) throw new GoError(`invalid slice index: ${end} > ${limit}`)
  return { start, end, limit }
}

function indexArgument(value: Value, capacity: number): number {
  if (isNil(value)) throw new GoError('cannot index slice/array with nil')
  const kind = kindOf(value)
  if (kind !== 'int' && kind !== 'uint') {
    throw new GoError(`cannot index slice/array with type ${typeName(value)}`)
  }
  const number = BigInt(numberOf(value))
  if (number < 0n || number > BigInt(capacity) || number > MAX_INT64) {
    throw new GoError(`index out of range: ${BigInt.asIntN(64, number)}`)
  }
  return Number(number)
}

function isNil(value: Value): boolean {
  return value === null || value === undefined
}
