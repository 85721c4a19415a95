import type { CallCost } from '../api.js'
import { LimitError } from '../format/go-error.js'
import type { Value } from '../value.js'
import { checkUnits } from './call-units.js'
import { costOfShortList, LONG_TEXT, readLength, ValueCost } from './cost-of-value.js'
import type { CostKeeper } from './known-costs.js'

/** What the cost of a call depends on beside its arguments. */
export interface Charging extends CostKeeper {
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
  let valueCost: ValueCost | null = null
  const step = stepOf(cost)
  for (let i = 0; i < values.length; i += step) {
    const value = values[i]
    if (typeof value === 'string') {
      characters += value.length
    } else if (typeof value === 'number') {
      if (cost.perCount > 0) units += Math.min(Math.abs(value) || 0, charging.maxWidth) * cost.perCount
    } else if (typeof value === 'object' && value !== null && cost.elements !== 'none') {
      const shallow = costOfShortList(value, cost)
      if (shallow !== undefined) units += shallow
      else {
        valueCost ??= new ValueCost(cost, charging)
        valueCost.add(value)
      }
    }
  }
  if (valueCost !== null) units += valueCost.units
  if (characters > 0) units += costOfTexts(cost, values, characters, charging)
  if (!charging.charges) return 0
  if (cost.inTurns !== true) checkUnits(units)
  return units
}

/** What the texts among the arguments cost. @throws LimitError */
function costOfTexts(
  cost: CallCost,
  values: readonly Value[],
  characters: number,
  { charges }: Charging,
): number {
  const { perCharacter, maxCharacters, inTurns } = cost
  if (characters > maxCharacters) {
    throw new LimitError('width', `text longer than ${maxCharacters} characters`)
  }
  const units = characters * perCharacter
  if (characters < LONG_TEXT || perCharacter === 0 || !charges) return units
  if (inTurns !== true) checkUnits(units)
  let read = 0
  for (let i = 0; i < values.length; i += stepOf(cost)) {
    const value = values[i]
    if (typeof value === 'string') read += readLength(value)
  }
  return read * perCharacter
}

/** How far it is from one argument that a call reads to the next. */
function stepOf({ onlyKeys }: CallCost): number {
  return onlyKeys === true ? 2 : 1
}
