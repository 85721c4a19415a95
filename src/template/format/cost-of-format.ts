import type { CallCost } from '../api.js'
import { PRINT } from '../cost.js'
import { NO_FLAGS } from './print-verb.js'
import type { Directive, Format } from './read-format.js'

/** What printing by one verb takes beside the value, in units of about a nanosecond. */
const PER_VERB = 400
/** What a character takes that is quoted, escaped, counted or written as digits. */
const PER_REWRITTEN_CHARACTER = 60
/** What a character takes that `%+q` writes as its number. */
const PER_NUMBERED_CHARACTER = 150
/** What an element takes that `%v` prints, or that no verb is for. */
const PER_PLAIN_ELEMENT = PRINT.perElement
/** What an element takes that is not printed as `%v` prints it. */
const PER_MARKED_ELEMENT = 1_500
/** What an element takes that a verb for floats prints. */
const PER_FLOAT = 4_000
const FLOAT_VERBS = 'beEfFgG'

/** What printing by a format costs, for each character and element of its arguments, as it may print them again and again. */
export function costOfFormat(cost: CallCost, { directives }: Format): CallCost {
  const again = 1 + directives.filter(isNumbered).length
  const perElement = Math.max(PER_PLAIN_ELEMENT, ...new Set(directives.map(elementCost)))
  return {
    ...cost,
    perCall: cost.perCall + directives.length * PER_VERB,
    perCharacter: Math.max(cost.perCharacter, ...new Set(directives.map(characterCost))) * again,
    perElement: perElement * again,
    perMember: Math.max(cost.perMember, 2 * perElement) * again,
  }
}

/** Whether it says which argument it prints: another one may have printed it already. */
function isNumbered({ widthIndex, precisionIndex, verbIndex }: Directive): boolean {
  return widthIndex !== undefined || precisionIndex !== undefined || verbIndex !== undefined
}

/** Whether texts and elements are printed as they are. */
function isPlain({ verb, flags, simple }: Directive): boolean {
  return simple && flags === NO_FLAGS && (verb === 's' || verb === 'v' || verb === 'd')
}

/** 0 where texts are printed as they are. */
function characterCost(directive: Directive): number {
  if (isPlain(directive)) return 0
  const { verb, flags } = directive
  return verb === 'q' && flags.plus ? PER_NUMBERED_CHARACTER : PER_REWRITTEN_CHARACTER
}

/** By what there is to do, and to pad. */
function elementCost(directive: Directive): number {
  if (isPlain(directive) && directive.verb === 'v') return PER_PLAIN_ELEMENT
  const { width, precision } = directive.flags
  const base = FLOAT_VERBS.includes(directive.verb) ? PER_FLOAT : PER_MARKED_ELEMENT
  return base + 2 * Math.max(width, 0) + 4 * Math.max(precision, 0)
}
