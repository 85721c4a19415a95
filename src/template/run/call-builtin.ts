import type { Comparisons } from '../format/adaptive.js'
import type { Value } from '../value.js'
import type { BuiltinSite } from './builtin-site.js'
import { type ChargedWork, NOT_YET, performArrived, performCharged } from './charged-call.js'
import type { Run } from './run.js'

/** Texts up to this length are light. */
const LIGHT = 1_000

const BUILTIN: ChargedWork<Run, BuiltinSite> = {
  costOf: ({ cost }) => cost,
  isDeep: ({ cost }) => cost.elements === 'all',
  perform: (_, { call }, values) => call(...values),
}

/** Calls a builtin; arguments that are still under way delay the call. */
export function callBuiltin(run: Run, site: BuiltinSite, given: Value[], comparisons: Comparisons): Value {
  // Of two values it is a helper of its own.
  const work = site.name === 'eq' ? comparing(comparisons.eq) : BUILTIN
  return performArrived(run, site, given, work)
}

function comparing(eq: Comparisons['eq']): ChargedWork<Run, BuiltinSite> {
  return { ...BUILTIN, perform: (_, __, values) => eq(...values) }
}

/** Calls a builtin whose arguments are all light. */
export function callLight(run: Run, site: BuiltinSite, values: Value[]): Value {
  const result = performCharged(run.budget, site, site.cost, values, callOf)
  return result === NOT_YET ? run.calls.later(() => performArrived(run, site, values, BUILTIN, true)) : result
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
