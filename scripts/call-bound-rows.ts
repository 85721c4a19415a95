import type { CallCost } from '../src/template/api.js'
import { BUILTINS } from '../src/template/builtins.js'
import { LIBRARY_FUNCTIONS } from '../src/template/library/function-library.js'
import { MAX_CALL_MS } from '../src/template/limits.js'
import { PER_KEY } from '../src/template/run/cost-of-value.js'

const MAX_UNITS = MAX_CALL_MS * 1_000_000

/** What one call of each function may read, from what it is charged: functions that are charged the same share a row. */
export function callBoundRows(): readonly (readonly string[])[] {
  const named = [...[...BUILTINS].map(([name, { cost }]) => ({ name, cost })), ...LIBRARY_FUNCTIONS]
  const rows = new Map<string, { readonly names: string[]; readonly bounds: readonly string[] }>()
  for (const { name, cost } of named) {
    const bounds = [characters(cost), elements(cost, cost.perElement), members(cost)]
    const row = rows.get(bounds.join()) ?? { names: [], bounds }
    row.names.push(`\`${name}\``)
    rows.set(bounds.join(), row)
  }
  return [...rows.values()].map(({ names, bounds }) => [names.join(' '), ...bounds])
}

/** The lower of both bounds: of what is read, and of what it costs. */
function characters({ maxCharacters, perCharacter, inTurns }: CallCost): string {
  return told(Math.min(maxCharacters, affordable(perCharacter, inTurns)))
}

/** An element that costs more than another counts as this many of them. */
function elements(
  { elements: read, maxElements, perElement, inTurns }: CallCost,
  each: number,
  toCount = 0,
): string {
  if (read === 'none') return 'not read'
  return told(Math.min(maxElements * (perElement / each), affordable(each + toCount, inTurns)))
}

/** Their keys are gathered to count them. */
function members(cost: CallCost): string {
  return cost.perMember === 0 ? 'not read' : elements(cost, cost.perMember, PER_KEY)
}

function affordable(each: number, inTurns = false): number {
  return inTurns || each === 0 ? Number.POSITIVE_INFINITY : MAX_UNITS / each
}

function told(bound: number): string {
  return Number.isFinite(bound) ? Math.floor(bound).toLocaleString('en-US') : 'no bound'
}
