import type { Node, Operand } from '../../ast.js'
import type { CallSite } from '../../run/call.js'
import type { Frame } from '../frame.js'
import type { Scope } from '../scope.js'
import type { Emitter } from './emitter.js'
import { lastVisited } from './places.js'

/** Operands whose values the text says itself. */
const CONSTANTS: ReadonlySet<Operand['kind']> = new Set(['bool', 'number', 'string', 'nil'])

/** The arguments of a call whose function is known once it runs. */
export interface ArgumentList {
  readonly operands: readonly Operand[]
  /** The local of the function. */
  readonly bound: string
  readonly scope: Scope
  readonly finalLocal: string | null
  readonly guarded: boolean
}

/** What stands between the parentheses of a call: each argument is checked and converted by itself, in order. */
export function argumentList(emitter: Emitter, given: ArgumentList): string {
  const { operands, bound, scope, finalLocal, guarded } = given
  const values = operands.map((operand, index) => {
    if (CONSTANTS.has(operand.kind)) return `${bound}.constant(run,${index})`
    return `${bound}.argument(run,${index},${emitter.operand(operand, scope, guarded).code})`
  })
  if (finalLocal !== null) values.push(`${bound}.final(run,${finalLocal})`)
  return values.join(',')
}

/** What of a call's site is not made of its operands. */
type CalledAt = Pick<CallSite, 'name' | 'nameSite' | 'callSite' | 'operands' | 'hasFinal'> & {
  /** Where a piped value of a wrong type is reported, unless operands stand before it. */
  readonly node: Node
}

/** The constant of a call of a function or method. */
export function callSite(frame: Frame, { node, ...called }: CalledAt): string {
  const operandSites = called.operands.map((operand) => frame.visitedSite(lastVisited(operand)))
  const site: CallSite = {
    ...called,
    operandSites,
    finalSite: operandSites.length === 0 ? frame.siteOf(node) : (operandSites.at(-1) ?? null),
    functions: frame.context.generation.functions,
    bound: null,
  }
  return frame.context.constants.add(site, 'callSite')
}
