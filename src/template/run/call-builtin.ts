import type { Comparisons } from '../format/adaptive.js'
import type { Value } from '../value.js'
import type { BuiltinSite } from './builtin-site.js'
import { callFailed } from './call-failed.js'
import { CALL_COST, costOfCall, FREE_CHARACTERS } from './cost-of-call.js'
import { Pending } from './pending.js'
import type { Run } from './run.js'

/** Calls a builtin; arguments that are still under way delay the call. */
export function callBuiltin(run: Run, site: BuiltinSite, given: Value[], comparisons: Comparisons): Value {
  const { budget, calls } = run
  if (given.some(isPending)) {
    return calls.defer(given, (settled) => callBuiltin(run, site, settled, comparisons))
  }
  let result: Value
  try {
    const values = given.some(isObject) ? adopted(run, site, given) : given
    const units = costOfCall(site.cost, values, budget.maxWidth)
    if (!budget.admits(site.callSite, units)) {
      return calls.later(() => callBuiltin(run, site, values, comparisons))
    }
    // Of two values it is a helper of its own.
    const call = site.name === 'eq' ? comparisons.eq : site.call
    result = call(...values)
  } catch (error) {
    throw callFailed(site, error, budget)
  }
  if (site.cost.makes) budget.makeValue(site.callSite, result)
  return result
}

/** The same whose arguments are all light. */
export function callLight(run: Run, site: BuiltinSite, values: readonly Value[]): Value {
  const { budget, calls } = run
  if (!budget.admits(site.callSite, CALL_COST)) return calls.later(() => callLight(run, site, values))
  let result: Value
  try {
    result = site.call(...values)
  } catch (error) {
    throw callFailed(site, error, budget)
  }
  if (site.cost.makes) budget.makeValue(site.callSite, result)
  return result
}

/** True for an argument that needs no look: it neither waits nor comes from elsewhere, and costs no more than the call. */
export function isLight(site: BuiltinSite, value: Value): boolean {
  if (typeof value === 'string') return value.length <= FREE_CHARACTERS
  if (typeof value !== 'object' || value === null) return true
  return Array.isArray(value) && site.cost.elements === 'none'
}

/** What a builtin reads, as values of the engine: as deep as it reads it. */
function adopted({ border }: Run, site: BuiltinSite, values: Value[]): Value[] {
  const isDeep = site.cost.elements === 'all'
  return values.map((value) => (isDeep ? border.adopt(value) : border.adoptTop(value)))
}

function isPending(value: Value): boolean {
  return value instanceof Pending
}

function isObject(value: Value): boolean {
  return typeof value === 'object' && value !== null
}
