import type { CallCost } from '../api.js'
import { LimitError } from '../format/go-error.js'
import type { Value } from '../value.js'
import { weigh } from './weigh.js'

/** What a call costs beside what it reads and makes. */
export const CALL_COST = 1_000
/** Texts up to this length cost no more than the call. */
export const FREE_CHARACTERS = 1_000

/**
 * What a call is going to cost that reads these values, in units of about a nanosecond; widths count up to a bound.
 *
 * @throws LimitError if they are more than one call may read
 */
export function costOfCall(cost: CallCost, values: readonly Value[], maxWidth: number): number {
  let units = cost.perCall
  for (const value of values) {
    if (typeof value === 'string') {
      if (value.length > FREE_CHARACTERS) units += costOfText(cost, value)
    } else if (typeof value === 'number') {
      units += Math.min(Math.abs(value), maxWidth) * cost.perCount
    } else if (typeof value === 'object' && value !== null && cost.elements !== 'none') {
      units += weigh(value, cost)
    }
  }
  return units
}

function costOfText({ perCharacter, maxCharacters }: CallCost, text: string): number {
  if (text.length > maxCharacters) {
    throw new LimitError('width', `text longer than ${maxCharacters} characters`)
  }
  return text.length * perCharacter
}
