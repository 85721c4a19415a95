import type { JsonObject } from '../../api/shapes.js'

/** JSON as people write it. */
export function pretty(value: unknown): string {
  return JSON.stringify(value, undefined, 2)
}

/** A value in the syntax of Python, which has other words for some values. */
export function python(body: JsonObject): string {
  return pretty(body).replace(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (found) => ({ true: 'True', false: 'False', null: 'None' })[found] ?? found,
  )
}
