import type { Value } from '../../value.js'

/** The variables and the element of a loop as one object, for templates of other dialects. */
export function withItem(variables: Value, element: Value): Value {
  // No prototype, so that a variable named `__proto__` stays plain data.
  const merged: object = Object.create(null)
  return Object.assign(merged, variables, { item: element })
}
