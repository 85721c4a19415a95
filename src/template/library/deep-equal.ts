import { equalStrings } from '../format/byte-string.js'
import { elementOf, elementsOf, entriesOf, kindOf, numberOf, Stringer, typeName } from '../format/kind.js'
import { isInt, type Value } from '../value.js'

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
  const keys = Object.keys(leftEntries)
  if (keys.length !== Object.keys(rightEntries).length) return false
  return keys.every(
    (key) =>
      Object.hasOwn(rightEntries, key) &&
      deepEqual(elementOf(left, leftEntries[key]), elementOf(right, rightEntries[key])),
  )
}
