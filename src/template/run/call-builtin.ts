import type { Comparisons } from '../format/adaptive.js'
import type { Value } from '../value.js'
import type { BuiltinSite } from './builtin-site.js'
import { adoptArguments, NOT_YET, performCharged } from './charged-call.js'
import { Pending } from './pending.js'
import type { Run } from './run.js'

/** Texts up to this length are light. */
const LIGHT = 1_000

/** Calls a builtin; arguments that are still under way delay the call. */
export function callBuiltin(
  run: Run,
  site: BuiltinSite,
  given: Value[],
  comparisons: Comparisons,
  hasWaited = false,
): Value {
  const { budget, calls } = run
  if (given.some(isPending)) {
    return calls.defer(given, (settled) => callBuiltin(run, site, settled, comparisons))
  }
  const values = adoptArguments(run, site, given, site.cost.elements === 'all')
  // Of two values it is a helper of its own.
  const perform = site.name === 'eq' ? comparisons.eq : site.call
  const call = (_: BuiltinSite, settled: Value[]) => perform(...settled)
  const result = performCharged(budget, site, site.cost, values, call, hasWaited)
  return result === NOT_YET ? calls.later(() => callBuiltin(run, site, values, comparisons, true)) : result
}

/** The same whose arguments are all light. */
export function callLight(run: Run, site: BuiltinSite, values: Value[], hasWaited = false): Value {
  const result = performCharged(run.budget, site, site.cost, values, callOf, hasWaited)
  return result === NOT_YET ? run.calls.later(() => callLight(run, site, values, true)) : result
}

function callOf({ call }: BuiltinSite, values: Value[]): Value {
  return call(...values)
}

/** True for an argument that needs no look: it neither waits nor comes from elsewhere, and costs no more than the call. */
export function isLight(site: BuiltinSite, value: Value): boolean {
  if (typeof value === 'string') return value.length <= LIGHT
  if (typeof value !== 'object' || value === null) return true
  return Array.isArray(value) && site.cost.elements === 'none'
}

function isPending(value: Value): boolean {
  return value instanceof Pending
}
