import type { CallCost } from '../api.js'
import { LimitError } from '../format/go-error.js'
import type { Value } from '../value.js'
import { Weight, weighShallow } from './weigh.js'

/** The longest that one call may hold the event loop, in milliseconds: no call is begun that costs more. */
export const MAX_CALL_MS = 20
/** The same in units of about a nanosecond. */
const MAX_CALL_UNITS = MAX_CALL_MS * 1_000_000

/** What the cost of a call depends on beside its arguments. */
export interface Charging {
  readonly maxWidth: number
  /** False where a test looks at what holds without charges: bounds on sizes. */
  readonly charges: boolean
}

/**
 * What a call is going to cost that reads these values, in units of about a nanosecond; widths count up to a bound.
 *
 * @throws LimitError if all of them together are more than one call may read
 */
export function costOfCall(cost: CallCost, values: readonly Value[], charging: Charging): number {
  let units = cost.perCall
  let characters = 0
  let weight: Weight | null = null
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (typeof value === 'string') {
      characters += value.length
    } else if (typeof value === 'number') {
      if (cost.perCount > 0) units += Math.min(Math.abs(value) || 0, charging.maxWidth) * cost.perCount
    } else if (typeof value === 'object' && value !== null && cost.elements !== 'none') {
      const shallow = weighShallow(value, cost)
      if (shallow !== undefined) units += shallow
      else {
        weight ??= new Weight(cost)
        weight.add(value)
      }
    }
  }
  if (characters > cost.maxCharacters) {
    throw new LimitError('width', `text longer than ${cost.maxCharacters} characters`)
  }
  units += characters * cost.perCharacter
  if (weight !== null) units += weight.units
  if (!charging.charges) return 0
  if (cost.inTurns !== true) checkUnits(units)
  return units
}

/** @throws LimitError if a call costs so much that it would hold the event loop too long */
export function checkUnits(units: number): void {
  if (units <= MAX_CALL_UNITS) return
  throw new LimitError('width', `arguments that take longer than ${MAX_CALL_MS} ms to read`)
}
