import { wellFormed } from '../../format/byte-string.js'
import { formatValue } from '../../format/format-value.js'
import { truth } from '../../format/kind.js'
import { quote } from '../../format/quote.js'
import { depthLimit } from '../../limit-errors.js'
import type { Rules } from '../../program.js'
import { execError } from '../../site.js'
import { printNode } from './printer.js'

/** At hand: to look it up on strings of every kind takes longer than the check itself. */
const { isWellFormed } = String.prototype

/** Go's own rules. */
export const GO_RULES: Rules = {
  dialect: 'go',
  numbers: 'go',
  definesTemplates: true,
  hasLoopElement: false,
  isTrue: truth,
  truthFunctions: new Set(['default', 'coalesce', 'empty', 'ternary']),
  print: formatValue,
  pieces: null,
  toText: (raw) => (isWellFormed.call(raw) ? raw : wellFormed(raw)),
  printNode,
  readPath: null,
  isLoopable: () => true,
  failures: {
    notLoopable: (site) => execError(site, "range can't iterate over it"),
    unknownTemplate: (site, name) =>
      execError(site, `template ${quote(name)} not defined`, { reason: 'partial', facts: { name } }),
    tooDeep: depthLimit,
  },
}

/** Go's rules, but whole numbers that meet floats are floats. */
export const ADAPTIVE_RULES: Rules = { ...GO_RULES, numbers: 'adaptive' }
