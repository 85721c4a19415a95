import type { Value } from '../value.js'

/** The function that gives an included template its loop element; its name cannot be written in a template. */
export const WITH_ITEM = ' with item'

/** The variables and the element of a loop as one object; `item` hides a variable of that name. */
export function withItem(variables: Value, element: Value): Value {
  // No prototype, so that a variable named `__proto__` stays plain data.
  return Object.assign(Object.create(null) as object, variables, { item: element })
}
