import { once } from 'node:events'
import { measureGroup } from '../../support/costs/measure-group.js'
import { createShapes } from '../../support/costs/shapes.js'
import { heldMs } from '../../support/fresh-memory.js'
import { costsPlan, type ShapeTask } from './costs-plan.js'
import { addGroup, emptyReport } from './costs-report.js'

/** Of a call that seems slow, so many attempts are made at once; it is measured again when everything else is done. */
const ATTEMPTS = 4

/** Measures what the run hands over, shape after shape, until it is told that there is no more. */
export async function main(args: readonly string[]): Promise<number> {
  const { groups, kinds, bound } = costsPlan(args)
  const make = createShapes(kinds)
  const meter = { bound, attempts: ATTEMPTS, make, msOf: heldMs, guesses: new Map<string, number>() }
  process.on('disconnect', () => process.exit(1))
  for (;;) {
    const next = once(process, 'message')
    process.send?.('ready')
    const [task] = (await next) as [ShapeTask | 'end']
    if (task === 'end') return 0
    const report = emptyReport()
    for (const group of groups.get(task.shape) ?? []) {
      if (Date.now() > task.endsAt) break
      addGroup(report, await measureGroup(group, meter))
    }
    process.send?.(report)
  }
}
