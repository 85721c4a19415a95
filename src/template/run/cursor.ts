import { namesOf } from '../../util/json/names-of.js'
import { sortStrings } from '../format/byte-string.js'
import { elementOf, elementsOf, entriesOf, kindOf, listLength, numberOf } from '../format/kind.js'
import { Typed, type Value } from '../value.js'

/** What `{{range}}` goes over, unless it is a plain array. */
export interface Cursor {
  readonly length: number
  /** The keys of a map, else null: the index is the key. */
  readonly keys: readonly string[] | null
  readonly items: readonly Value[] | null
  /** The integer type of a range over an integer, which has no items. */
  readonly type: string | null
}

const NOTHING: Cursor = { length: 0, keys: null, items: [], type: null }

/** Called with the elements to open before they are copied, and with the keys of a map before they are sorted. */
type BeforeOpening = (elements: number, keys: readonly string[] | null) => void

/** What a value offers to range over; null if nothing, which is an error. */
export function openCursor(value: Value, before: BeforeOpening): Cursor | null {
  switch (kindOf(value)) {
    case 'invalid':
      return NOTHING
    case 'slice': {
      before(listLength(value), null)
      const items = elementsOf(value)
      return { length: items.length, keys: null, items, type: null }
    }
    case 'map':
      return mapCursor(value, before)
    case 'int':
    case 'uint':
      return integerCursor(value)
    default:
      return null
  }
}

/** The element at an index. */
export function elementAt(cursor: Cursor, index: number): Value {
  if (cursor.items !== null) return cursor.items[index]
  return cursor.type === null ? index : new Typed(cursor.type, index)
}

function mapCursor(value: Value, before: BeforeOpening): Cursor {
  const entries = entriesOf(value)
  const keys = [...namesOf(entries)]
  before(keys.length, keys)
  sortStrings(keys)
  return { length: keys.length, keys, items: keys.map((key) => elementOf(value, entries[key])), type: null }
}

function integerCursor(value: Value): Cursor {
  const length = Math.max(0, Number(numberOf(value)))
  return { length, keys: null, items: null, type: value instanceof Typed ? value.type : null }
}
