import { sortStrings } from '../format/byte-string.js'
import { formatArgument } from '../format/format-value.js'
import { elementOf, elementsOf, entriesOf, kindOf } from '../format/kind.js'
import { countBelow } from '../format/size.js'
import type { Value } from '../value.js'

/** What prints within a time slice, in elements and members. */
const MANY = 20_000

/** Whether a list or map has so many elements, however deep, that printing it would hold the event loop. */
export function isLarge(value: Value): boolean {
  return typeof value === 'object' && value !== null && countBelow(value, MANY) <= 0
}

/** The pieces of a large value's text as Go prints it, each of them quick to make; an empty one after what was not. */
export function* piecesOf(value: Value): Generator<string> {
  if (kindOf(value) === 'slice') yield* listPieces(elementsOf(value))
  else yield* mapPieces(value as object)
}

function* elementPieces(value: Value): Generator<string> {
  if (!isLarge(value)) {
    yield formatArgument(value)
    return
  }
  yield ''
  yield* piecesOf(value)
}

function* listPieces(items: readonly Value[]): Generator<string> {
  yield '['
  for (let i = 0; i < items.length; i++) {
    if (i > 0) yield ' '
    yield* elementPieces(items[i])
  }
  yield ']'
}

function* mapPieces(map: object): Generator<string> {
  const entries = entriesOf(map)
  yield 'map['
  let separator = ''
  const keys = Object.keys(entries)
  yield ''
  sortStrings(keys)
  yield ''
  for (const key of keys) {
    yield `${separator}${key}:`
    yield* elementPieces(elementOf(map, entries[key]))
    separator = ' '
  }
  yield ']'
}
