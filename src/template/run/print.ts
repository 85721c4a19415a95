import type { SeenTexts } from '../fast/known-ascii.js'
import type { Rules } from '../program.js'
import type { Value } from '../value.js'
import { escapeJson } from './escape-json.js'

/** A run as far as printing needs it. */
export interface PrintingRun {
  readonly rules: Rules
  readonly output: SeenTexts & { readonly json: boolean }
}

/** A printed value's text, as the end of a render joins it. */
export function formatPrinted({ rules, output }: PrintingRun, value: Value): string {
  const text = rules.print(value)
  return output.json ? escapeJson(text, output) : text
}
