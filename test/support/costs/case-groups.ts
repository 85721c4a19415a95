import type { CostCase } from './cost-cases.js'

/** Cases that are one call with one shape of value, and differ in its size alone: the largest first. */
export interface CaseGroup {
  readonly shape: string
  readonly cases: readonly [CostCase, ...CostCase[]]
}

/** The groups of these cases: those of one shape and size follow each other, so that each value is made once. */
export function groupCases(cases: Iterable<CostCase>): readonly CaseGroup[] {
  const groups = new Map<string, [CostCase, ...CostCase[]]>()
  for (const each of cases) {
    const key = `${each.dialect} ${each.shape} ${each.source}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [each])
    else group.push(each)
  }
  const sorted = [...groups.values()].map((group) => group.sort((a, b) => b.size - a.size))
  const all = sorted.map((group) => ({ shape: group[0].shape, cases: group }))
  return all.sort((a, b) => a.shape.localeCompare(b.shape) || b.cases[0].size - a.cases[0].size)
}
