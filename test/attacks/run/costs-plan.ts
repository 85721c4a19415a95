import { parseArgs } from 'node:util'
import { type CaseGroup, groupCases } from '../../support/costs/case-groups.js'
import { type CostCase, costCases, titleOf } from '../../support/costs/cost-cases.js'
import { drawnShapes } from '../../support/costs/drawn-shapes.js'
import { SHAPES, type Shapes } from '../../support/costs/shapes.js'
import { createRandom, type Random } from '../../support/random.js'

/** What a process is asked to measure: all groups of a shape, until a time since the epoch in milliseconds. */
export interface ShapeTask {
  readonly shape: string
  readonly endsAt: number
}

/** What is measured by which arguments: the same in each process. */
export interface CostsPlan {
  readonly all: number
  readonly groups: ReadonlyMap<string, readonly CaseGroup[]>
  readonly kinds: Shapes
  readonly bound: number
  readonly minutes: number
  readonly processes: number
  readonly seed: string
}

const OPTIONS = {
  only: { type: 'string' },
  sample: { type: 'string' },
  seed: { type: 'string', default: '1' },
  bound: { type: 'string', default: '20' },
  drawn: { type: 'string' },
  minutes: { type: 'string', default: '15' },
  processes: { type: 'string', default: '2' },
} as const

/** Reads the arguments of a run. */
export function costsPlan(args: readonly string[]): CostsPlan {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  const seed = Number(values.seed)
  const kinds = values.drawn === undefined ? SHAPES : drawnShapes(seed, Number(values.drawn))
  const isWanted = (each: CostCase) => values.only === undefined || titleOf(each).includes(values.only)
  const all = [...costCases(kinds)].filter(isWanted)
  const wanted =
    values.sample === undefined ? all : shuffled(all, createRandom(seed)).slice(0, Number(values.sample))
  const groups = new Map<string, CaseGroup[]>()
  for (const group of groupCases(wanted)) {
    const known = groups.get(group.shape)
    if (known === undefined) groups.set(group.shape, [group])
    else known.push(group)
  }
  const [bound, minutes, processes] = [values.bound, values.minutes, values.processes].map(Number) as [
    number,
    number,
    number,
  ]
  return { all: wanted.length, groups, kinds, bound, minutes, processes, seed: values.seed }
}

function shuffled<Item>(items: readonly Item[], random: Random): readonly Item[] {
  const shuffled = [...items]
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const item = shuffled[i] as Item
    shuffled[i] = shuffled[j] as Item
    shuffled[j] = item
  }
  return shuffled
}
