import type { Rules } from '../ast.js'
import { formatValue } from '../format/format-value.js'
import { printValue } from '../handlebars/print-value.js'
import type { Value } from '../value.js'
import { escapeJson } from './escape-json.js'

/** How actions print values under a dialect's rules. */
export function formatFor(rules: Rules): (value: Value) => string {
  return rules.print === 'go' ? formatValue : printValue
}

/** A printed value's text, as the end of a render joins it. */
export function formatPrinted(rules: Rules, json: boolean, value: Value): string {
  const text = formatFor(rules)(value)
  return json ? escapeJson(text) : text
}
