import { randomUUID } from 'node:crypto'
import { define } from '../define.js'
import { MAX_NUMBER_CHARACTERS } from '../limits.js'
import { named } from '../named.js'
import { runNow, type Sliced } from '../slices/sliced.js'
import type { LargeInteger } from './json-scanner.js'
import type { JsonValue } from './json-value.js'

/**
 * Parses JSON whose large integers were found: they travel through the native parser as strings with a mark that
 * nobody can guess, and are bigint afterwards.
 *
 * @throws SyntaxError
 */
export function parseExactly(text: string, integers: readonly LargeInteger[]): JsonValue {
  return integers.length === 0 ? JSON.parse(text) : runNow(parseExactlyInSteps(text, integers))
}

/** Parses a long text with large integers: its copy with marks, and what that says, are a step each. */
export function* parseExactlyInSteps(text: string, integers: readonly LargeInteger[]): Sliced<JsonValue> {
  if (integers.length === 0) return JSON.parse(text)
  const mark = randomUUID()
  const markedText = marked(text, integers, mark)
  yield
  return restore(parseMarked(text, markedText), mark)
}

function parseMarked(text: string, markedText: string): JsonValue {
  try {
    return JSON.parse(markedText)
  } catch {
    // For what it says of the text itself, not of the marks.
    return JSON.parse(text)
  }
}

function marked(text: string, integers: readonly LargeInteger[], mark: string): string {
  const parts: string[] = []
  let copied = 0
  for (const { start, end } of integers) {
    parts.push(text.slice(copied, start), `"${mark}${text.slice(start, end)}"`)
    copied = end
  }
  parts.push(text.slice(copied))
  return parts.join('')
}

function restore(value: JsonValue, mark: string): JsonValue {
  if (typeof value === 'string') return isMarked(value, mark) ? BigInt(value.slice(mark.length)) : value
  if (typeof value !== 'object' || value === null) return value
  // It was parsed here, so nobody else sees it change.
  if (Array.isArray(value)) restoreItems(value, mark)
  else restoreProperties(value as Record<string, JsonValue>, mark)
  return value
}

/** Compares length and first character first: most strings differ there. */
function isMarked(text: string, mark: string): boolean {
  const { length } = text
  return (
    length > mark.length &&
    length <= mark.length + MAX_NUMBER_CHARACTERS &&
    text.charCodeAt(0) === mark.charCodeAt(0) &&
    text.startsWith(mark)
  )
}

function restoreItems(items: JsonValue[], mark: string): void {
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index]
    if (typeof item === 'string' || typeof item === 'object') items[index] = restore(item, mark)
  }
}

function restoreProperties(object: Record<string, JsonValue>, mark: string): void {
  // Faster than a list of names, and parsed objects inherit nothing enumerable.
  for (const name in object) {
    const item = named(object, name)
    const restored = restore(item, mark)
    if (restored !== item) define(object, name, restored)
  }
}
