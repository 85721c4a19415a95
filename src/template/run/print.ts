import type { Rules } from '../ast.js'
import { formatValue } from '../format/format-value.js'
import { printValue } from '../handlebars/print-value.js'
import type { Value } from '../value.js'
import { type Alphabet, escapeJson } from './escape-json.js'

/** How actions print values under a dialect's rules. */
export function formatFor(rules: Rules): (value: Value) => string {
  return rules.print === 'go' ? formatValue : printValue
}

/** A printed value's text, as the end of a render joins it. */
export function formatPrinted(
  run: Alphabet & { readonly rules: Rules; readonly json: boolean },
  value: Value,
): string {
  const text = formatFor(run.rules)(value)
  return run.json ? escapeJson(text, run) : text
}
