import { LimitError } from '../format/go-error.js'
import { MAX_CALL_MS } from '../limits.js'

/** What one call may cost, in units of about a nanosecond. */
const MAX_CALL_UNITS = MAX_CALL_MS * 1_000_000

/** @throws LimitError if a call costs so much that it would hold the event loop too long */
export function checkUnits(units: number): void {
  if (units <= MAX_CALL_UNITS) return
  throw new LimitError('width', `arguments that take longer than ${MAX_CALL_MS} ms to read`)
}
