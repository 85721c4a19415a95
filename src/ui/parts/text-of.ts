import type { JsonValue } from '../api/shapes.js'

/** A text, or nothing where the value is none. */
export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
