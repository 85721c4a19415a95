import { MAX_NESTING } from '../limits.js'
import { Boxed, Complex, Float, isInt, Typed, type Value } from '../value.js'
import { sortedKeys } from './byte-string.js'
import { formatFloat, formatFloat64 } from './float.js'
import { LimitError } from './go-error.js'
import { elementOf, elementsOf, entriesOf, kindOf, numberOf, Stringer } from './kind.js'
import { membersOf } from './members.js'
import { ownText } from './prints-as.js'

/** What an action prints for nil and for missing values. */
export const NO_VALUE_TEXT = '<no value>'

/** A value as an action prints it: text/template's print, where nil and missing values are `<no value>`. */
export function formatValue(value: Value): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return NO_VALUE_TEXT
  return formatPlain(value, 0)
}

/** A value as `%v` without flags prints it, where nil is `<nil>`. */
export function formatArgument(value: Value): string {
  return typeof value === 'string' ? value : formatPlain(value, 0)
}

/** An int as decimal digits, exact also beyond 2^53. */
export function formatInt(value: number | bigint): string {
  if (typeof value !== 'number') return String(value)
  if (value > LARGEST_SMALL && value < EXACT_IN_PARTS) return inParts(value)
  return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString()
}

/** The engine writes whole numbers up to here much faster than larger ones. */
const LARGEST_SMALL = 2 ** 31 - 1
/** Up to here a division by a million is never rounded up to the next one. */
const EXACT_IN_PARTS = 1e15
const PART = 1e6

/** A large number in two parts that are small. */
function inParts(value: number): string {
  const high = Math.floor(value / PART)
  return `${high}${String(value - high * PART + PART).slice(1)}`
}

/** @throws LimitError */
export function checkNesting(depth: number): void {
  if (depth > MAX_NESTING) throw new LimitError('depth', `data nested deeper than ${MAX_NESTING} levels`)
}

function formatPlain(value: Value, depth: number): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return isInt(value) ? formatInt(value) : formatFloat64(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'bigint':
      return value.toString()
    case 'object':
      return value === null ? '<nil>' : formatObject(value, depth)
    case 'function':
      return POINTER_TEXT
    default:
      return '<nil>'
  }
}

/** Go prints an address here, which no two runs share. */
export const POINTER_TEXT = '0xc000000000'

function formatObject(value: object, depth: number): string {
  checkNesting(depth)
  if (Array.isArray(value)) return ownText(value) ?? formatList(value, depth)
  return value instanceof Boxed ? formatBoxed(value, depth) : (ownText(value) ?? formatMap(value, depth))
}

function formatBoxed(value: Boxed, depth: number): string {
  if (value instanceof Float) return formatFloat64(value.value)
  if (value instanceof Stringer) return value.text()
  if (value instanceof Complex) return formatComplex(value)
  switch (kindOf(value)) {
    case 'int':
    case 'uint':
      return formatInt(numberOf(value))
    case 'float':
      return value instanceof Typed ? formatTypedFloat(value) : POINTER_TEXT
    case 'slice':
      return formatList(elementsOf(value), depth)
    case 'map':
      return ownText(value) ?? formatMap(value, depth)
    default:
      return value instanceof Typed && typeof value.value === 'string' ? value.value : POINTER_TEXT
  }
}

function formatComplex({ real, imaginary }: Complex): string {
  const text = formatFloat64(imaginary)
  return `(${formatFloat64(real)}${/^[+-]/.test(text) ? text : `+${text}`}i)`
}

function formatTypedFloat(value: Typed): string {
  const number = Number(value.value)
  return value.type === 'float32' ? formatFloat(number, 'g', -1, 32) : formatFloat64(number)
}

/** Elements of a long list that are joined to a text of their own. */
const JOINED = 256

/**
 * What is added to a text one by one is a tree of as many nodes, all of which a minor GC copies: for long lists that took
 * more than everything else.
 */
function formatList(items: readonly Value[], depth: number): string {
  let text = '['
  if (items.length > JOINED) return `${text}${joinedList(items, depth)}]`
  for (let i = 0; i < items.length; i++) {
    if (i > 0) text += ' '
    text += formatPlain(items[i], depth + 1)
  }
  return `${text}]`
}

function joinedList(items: readonly Value[], depth: number): string {
  let text = ''
  for (let start = 0; start < items.length; start += JOINED) {
    const end = Math.min(start + JOINED, items.length)
    const parts: string[] = []
    for (let i = start; i < end; i++) parts.push(formatPlain(items[i], depth + 1))
    text += start > 0 ? ` ${parts.join(' ')}` : parts.join(' ')
  }
  return text
}

function formatMap(map: object, depth: number): string {
  const entries = entriesOf(map)
  const members = membersOf(entries)
  if (members === undefined) return formatManyMembers(map, entries, depth)
  const { names, labels } = members
  const isTyped = map instanceof Typed
  let text = 'map['
  for (let i = 0; i < names.length; i++) {
    const item = entries[names[i] ?? '']
    text += (labels[i] ?? '') + formatPlain(isTyped ? elementOf(map, item) : item, depth + 1)
  }
  return `${text}]`
}

function formatManyMembers(map: object, entries: Readonly<Record<string, Value>>, depth: number): string {
  let text = 'map['
  let separator = ''
  for (const key of sortedKeys(entries)) {
    text += `${separator}${key}:${formatPlain(elementOf(map, entries[key]), depth + 1)}`
    separator = ' '
  }
  return `${text}]`
}
