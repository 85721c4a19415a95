import type { CallCost } from '../api.js'
import type { Directive, Format } from './read-format.js'

/** What printing by one verb takes beside the value, in units of about a nanosecond. */
const PER_VERB = 400
/** What a character takes that is quoted, escaped, counted or written as digits. */
const PER_REWRITTEN_CHARACTER = 60

/** What printing by a format costs, for each character and element of its arguments, as it may print them again and again. */
export function costOfFormat(cost: CallCost, { directives }: Format): CallCost {
  const again = 1 + directives.filter(isNumbered).length
  const perCharacter = directives.every(isPlain) ? cost.perCharacter : PER_REWRITTEN_CHARACTER
  return {
    ...cost,
    perCall: cost.perCall + directives.length * PER_VERB,
    perCharacter: perCharacter * again,
    perElement: cost.perElement * again,
    perMember: cost.perMember * again,
  }
}

/** Whether it says which argument it prints: another one may have printed it already. */
function isNumbered({ widthIndex, precisionIndex, verbIndex }: Directive): boolean {
  return widthIndex !== undefined || precisionIndex !== undefined || verbIndex !== undefined
}

/** Whether texts are copied as they are. */
function isPlain({ verb, flags, simple }: Directive): boolean {
  const isUnmarked = !flags.plus && !flags.sharp && flags.width < 0 && flags.precision < 0
  return simple && isUnmarked && (verb === 's' || verb === 'v' || verb === 'd')
}
