import type { Site } from '../site.js'
import type { Value } from '../value.js'
import { escapeJson } from './escape-json.js'
import { Pending } from './pending.js'
import { isLarge } from './print-slowly.js'
import type { Run } from './run.js'
import { warnOfNoValue } from './warnings.js'

/** How a dialect prints a value. */
type Format = (value: Value) => string

/** Adds a printed value to the output. */
export function writeValue(run: Run, output: string, given: Value, format: Format, site: Site): string {
  if (typeof given === 'string') return output + given
  if (typeof given === 'number' && Number.isSafeInteger(given)) return output + given
  if (given instanceof Pending) return run.output.addPending(output, given)
  const value = run.boundary.adopt(given)
  if (isSlow(run, value, format)) return run.leaveLarge(output, value)
  return output + charged(run, formatAt(run, value, format, site))
}

/** Adds a printed value to output that is the inside of a JSON string. */
export function writeJsonValue(run: Run, output: string, given: Value, format: Format, site: Site): string {
  if (typeof given === 'string') {
    run.prints(output, given)
    return output + escapeJson(given, run.output)
  }
  if (typeof given === 'number' && Number.isSafeInteger(given)) return output + given
  return writeJsonOther(run, output, given, format, site)
}

/** In a function of its own: what writes texts and whole numbers is small enough to be inlined (`bench:template`, lists). */
function writeJsonOther(run: Run, output: string, given: Value, format: Format, site: Site): string {
  if (given instanceof Pending) return run.output.addPending(output, given)
  const value = run.boundary.adopt(given)
  if (isSlow(run, value, format)) return run.leaveLarge(output, value)
  return output + escapeJson(charged(run, formatAt(run, value, format, site)), run.output)
}

function formatAt(run: Run, value: Value, format: Format, site: Site): string {
  const text = format(value)
  warnOfNoValue(run.output, text, site)
  return text
}

function isSlow(run: Run, value: Value, format: Format): boolean {
  return run.budget.mode !== 'synchronous' && format === run.rules.print && isLarge(value, run.budget)
}

function charged(run: Run, text: string): string {
  run.budget.work -= text.length
  return text
}
