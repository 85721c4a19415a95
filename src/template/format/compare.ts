import { Nothing } from '../nothing.js'
import { Complex, type Value } from '../value.js'
import { compareStrings, equalStrings, normalizeBytes } from './byte-string.js'
import { GoError } from './go-error.js'
import { kindOf, numberOf, typeName, type ValueKind } from './kind.js'
import { countBelow } from './size.js'
import { sprintf } from './sprintf.js'

const BAD_TYPE = 'invalid type for comparison'
const INCOMPATIBLE = 'incompatible types for comparison'
const MISSING_ARGUMENT = 'missing argument for comparison'

/** The `eq` builtin: true if the first value equals any of the others. */
export function eq(first: Value, ...others: Value[]): boolean {
  if (others.length === 0) throw new GoError(MISSING_ARGUMENT)
  if (typeof first === 'string' && others.length > 1) return equalsOneOf(first, others)
  for (const other of others) {
    if (isEqual(first, other)) return true
  }
  return false
}

/** The text is read once, however many others there are. */
function equalsOneOf(text: string, others: readonly Value[]): boolean {
  const normal = normalizeBytes(text)
  for (const other of others) {
    if (typeof other === 'string' ? isNormally(other, normal) : isEqual(normal, other)) return true
  }
  return false
}

function isNormally(text: string, normal: string): boolean {
  return text === normal || (!text.isWellFormed() && normalizeBytes(text) === normal)
}

/** The `ne` builtin. */
export function ne(left: Value, right: Value): boolean {
  return !isEqual(left, right)
}

/** The `lt` builtin. */
export function lt(left: Value, right: Value): boolean {
  if (hasNothing(left, right)) return false
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right) < 0
  const leftKind = basicKind(left)
  const rightKind = basicKind(right)
  if (leftKind === 'invalid' || rightKind === 'invalid') throw new GoError(BAD_TYPE)
  if (!areComparable(leftKind, rightKind)) throw new GoError(INCOMPATIBLE)
  if (leftKind === 'bool' || leftKind === 'complex') throw new GoError(BAD_TYPE)
  return numberOf(left) < numberOf(right)
}

/** The `le` builtin. */
export function le(left: Value, right: Value): boolean {
  return !hasNothing(left, right) && (lt(left, right) || isEqual(left, right))
}

/** The `gt` builtin. */
export function gt(left: Value, right: Value): boolean {
  return !hasNothing(left, right) && !le(left, right)
}

/** The `ge` builtin. */
export function ge(left: Value, right: Value): boolean {
  return !hasNothing(left, right) && !lt(left, right)
}

function isEqual(left: Value, right: Value): boolean {
  if (typeof left === 'string' && typeof right === 'string') return equalStrings(left, right)
  const leftKind = basicKind(left)
  const rightKind = basicKind(right)
  if (leftKind === 'invalid' && rightKind === 'invalid') return isSameReference(left, right)
  if (areComparable(leftKind, rightKind)) return isSameBasic(leftKind, left, right)
  if (isNil(left) || isNil(right)) return false
  throw new GoError(INCOMPATIBLE)
}

function isSameBasic(kind: ValueKind, left: Value, right: Value): boolean {
  if (kind === 'bool') return left === right
  if (left instanceof Complex && right instanceof Complex) {
    return left.real === right.real && left.imaginary === right.imaginary
  }
  // Loose equality is what compares a bigint with a number.
  // biome-ignore lint/suspicious/noDoubleEquals: the operands are numbers and bigints only
  return numberOf(left) == numberOf(right)
}

function isSameReference(left: Value, right: Value): boolean {
  const leftKind = kindOf(left)
  const rightKind = kindOf(right)
  if (leftKind === 'invalid' || rightKind === 'invalid') return leftKind === rightKind
  if (leftKind !== rightKind) {
    const facts = [told(left), typeName(left), typeName(right), told(right)]
    throw new GoError(sprintf('non-comparable types %s: %v, %s: %v', facts))
  }
  if (leftKind === 'struct' || leftKind === 'pointer') return left === right
  throw new GoError(sprintf('non-comparable type %s: %v', [told(right), typeName(right)]))
}

/** A value as error messages show it: one of very many elements by its type alone. */
function told(value: Value): Value {
  return countBelow(value, MAX_SHOWN) > 0 ? value : `${typeName(value)}{…}`
}

/** Elements of a value that an error prints. */
const MAX_SHOWN = 1_000

function isNil(value: Value): boolean {
  return kindOf(value) === 'invalid'
}

/** Unavailable values are unordered. */
function hasNothing(left: Value, right: Value): boolean {
  return left instanceof Nothing || right instanceof Nothing
}

/** Kinds that compare by value; every other kind is `invalid`. */
function basicKind(value: Value): ValueKind {
  const kind = kindOf(value)
  switch (kind) {
    case 'bool':
    case 'int':
    case 'uint':
    case 'float':
    case 'complex':
    case 'string':
      return kind
    default:
      return 'invalid'
  }
}

/** Integers compare regardless of their type's sign. */
function areComparable(left: ValueKind, right: ValueKind): boolean {
  return left === right || (left === 'int' && right === 'uint') || (left === 'uint' && right === 'int')
}
