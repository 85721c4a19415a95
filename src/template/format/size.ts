import { knownCount, namesOf } from '../../util/json/names-of.js'
import { MAX_ELEMENTS, MAX_NESTING, MAX_REWRITTEN } from '../limits.js'
import { Boxed, type Value } from '../value.js'
import { LimitError } from './go-error.js'
import { elementsOf, entriesOf, kindOf } from './kind.js'

/** What is left of `limit` once the elements of a value are counted, however deep; it stops counting at zero. */
export function countBelow(value: Value, limit: number, depth = 0): number {
  // Values that are nested too deeply are rejected by the code that walks them.
  if (typeof value !== 'object' || value === null || depth > MAX_NESTING) return limit - 1
  if (Array.isArray(value)) return countListBelow(value, limit, depth)
  if (value instanceof Boxed) return countBoxedBelow(value, limit, depth)
  return countMapBelow(entriesOf(value), limit, depth)
}

function countBoxedBelow(value: Boxed, limit: number, depth: number): number {
  const kind = kindOf(value)
  if (kind === 'slice') return countListBelow(elementsOf(value), limit, depth)
  return kind === 'map' ? countMapBelow(entriesOf(value), limit, depth) : limit - 1
}

function countListBelow(items: readonly Value[], limit: number, depth: number): number {
  if (items.length >= limit) return 0
  let left = limit - 1
  for (let i = 0; i < items.length && left > 0; i++) left = countItemBelow(items[i], left, depth)
  return left
}

/** By its keys, as the values of a very large map take much longer to gather. */
function countMapBelow(entries: Readonly<Record<string, Value>>, limit: number, depth: number): number {
  if ((knownCount(entries) ?? 0) >= limit) return 0
  const keys = namesOf(entries)
  if (keys.length >= limit) return 0
  let left = limit - 1
  for (let i = 0; i < keys.length && left > 0; i++) left = countItemBelow(entries[keys[i] ?? ''], left, depth)
  return left
}

function countItemBelow(item: Value, left: number, depth: number): number {
  return typeof item === 'object' && item !== null ? countBelow(item, left, depth + 1) : left - 1
}

/** @throws LimitError if values have more elements than one call may go through */
export function checkElements(values: readonly Value[], limit: number = MAX_ELEMENTS): void {
  let left = limit
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue
    left = countBelow(value, left)
    if (left <= 0) throw new LimitError('width', `value of more than ${limit} elements`)
  }
}

/** @throws LimitError if a text is longer than one call may rewrite */
export function checkRewritten(text: string, limit: number = MAX_REWRITTEN): void {
  if (text.length > limit) throw new LimitError('width', `text longer than ${limit} characters`)
}

/** @throws LimitError if one call would write more bytes as digits than it may rewrite characters */
export function checkDigits(bytes: number): void {
  if (bytes > MAX_REWRITTEN) throw new LimitError('width', `more than ${MAX_REWRITTEN} bytes as digits`)
}
