import type { Rules } from '../program.js'
import type { Value } from '../value.js'
import { type Alphabet, escapeJson } from './escape-json.js'

/** A printed value's text, as the end of a render joins it. */
export function formatPrinted(
  run: Alphabet & { readonly rules: Rules; readonly json: boolean },
  value: Value,
): string {
  const text = run.rules.print(value)
  return run.json ? escapeJson(text, run) : text
}
