import type { Value } from '../value.js'
import { formatArgument } from './format-value.js'
import { checkLength } from './go-error.js'
import { flattened } from './in-one-piece.js'
import { checkElements } from './size.js'

/** fmt.Sprint: a space between operands of which neither is a string. */
export function sprint(values: readonly Value[]): string {
  checkElements(values)
  let text = ''
  let afterString = true
  for (const value of values) {
    const isString = typeof value === 'string'
    if (!isString && !afterString) text += ' '
    text += formatOperand(value)
    checkLength(text.length)
    afterString = isString
  }
  return text
}

/** fmt.Sprintln: always a space between operands, and a newline at the end. */
export function sprintln(values: readonly Value[]): string {
  checkElements(values)
  return `${values.map(formatOperand).join(' ')}\n`
}

/** Many lists would else be one tree of all their elements, which a minor GC copies. */
function formatOperand(value: Value): string {
  return typeof value === 'object' ? flattened(formatArgument(value)) : formatArgument(value)
}
