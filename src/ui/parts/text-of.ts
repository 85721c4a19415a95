import type { JsonValue } from '../api/shapes.js'

/** A text, or nothing for a missing value. */
export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
