import { type ChildProcess, fork } from 'node:child_process'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { leastPace, paceOf } from '../../support/costs/longest-piece.js'
import { measureCall, type SlowCall } from '../../support/costs/measure-group.js'
import { createShapes } from '../../support/costs/shapes.js'
import { FRESH_MEMORY, heldMs } from '../../support/fresh-memory.js'
import { type CostsPlan, costsPlan, type ShapeTask } from './costs-plan.js'
import { addReport, type CostsReport, emptyReport, verdictOf } from './costs-report.js'

/** Of a call that seemed slow, measured again by itself. */
const ATTEMPTS_ALONE = 12

/**
 * Measures how long each call of the generated table holds the event loop, in several processes; 1 if one does longer
 * than it may, or if not all of them were reached in the time. With `--drawn 40` that many shapes are drawn by the seed
 * in place of those that are written down.
 */
export async function main(args: readonly string[]): Promise<number> {
  const plan = costsPlan(args)
  const startedAt = performance.now()
  const report = await measureAll(plan, args)
  const slow = await measureAlone(report.slow, plan)
  const { lines, code } = verdictOf(plan, report, slow)
  for (const line of lines) console.log(line)
  const takenOff = FRESH_MEMORY.excessUs.toFixed(1)
  console.log(
    `${minutesSince(startedAt)} minutes; usual work took ${paceOf().toFixed(1)} times as long at the end; ${takenOff} µs taken off for each page of new memory. Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}`,
  )
  return code
}

function minutesSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 60_000).toFixed(1)
}

/** Shape after shape, each by a process that has nothing to do. */
async function measureAll(plan: CostsPlan, args: readonly string[]): Promise<CostsReport> {
  const startedAt = performance.now()
  const total = emptyReport()
  const shapes = [...plan.groups.keys()]
  const endsAt = Date.now() + plan.minutes * 60_000
  const next = () => {
    const shape = Date.now() > endsAt ? undefined : shapes.shift()
    return shape === undefined ? 'end' : { shape, endsAt }
  }
  const add = (shape: string, report: CostsReport) => {
    addReport(total, report)
    const calls = report.measured + report.same + report.refused
    console.log(
      `${shape}: ${calls} calls, of which ${report.slow.length} seem slow, after ${minutesSince(startedAt)} minutes`,
    )
  }
  const workers = Array.from({ length: plan.processes }, () => startWorker(args))
  await Promise.all(workers.map((worker) => serve(worker, next, add)))
  return total
}

function startWorker(args: readonly string[]): ChildProcess {
  const loader = resolve(import.meta.dirname, '../../support/run-typescript.mjs')
  return fork(loader, ['--built', resolve(import.meta.dirname, 'costs-worker.ts'), ...args])
}

/** Hands over one task after the other, until the process has ended. @throws if it ends otherwise than it was asked to */
function serve(
  worker: ChildProcess,
  next: () => ShapeTask | 'end',
  add: (shape: string, report: CostsReport) => void,
): Promise<void> {
  let task: ShapeTask | 'end' = 'end'
  return new Promise((resolveEnd, reject) => {
    worker.on('message', (message: 'ready' | CostsReport) => {
      if (message !== 'ready') return add(task === 'end' ? task : task.shape, message)
      task = next()
      worker.send(task)
    })
    worker.on('error', reject)
    worker.on('exit', (code, signal) => {
      if (code === 0) resolveEnd()
      else reject(new Error(`a process of the run ended with ${code ?? signal}`))
    })
  })
}

/** Those that are over the bound when nothing else of the run is under way. */
async function measureAlone(
  suspects: readonly SlowCall[],
  { bound, kinds }: CostsPlan,
): Promise<readonly SlowCall[]> {
  const make = createShapes(kinds)
  const slow: SlowCall[] = []
  for (const { call } of suspects) {
    const { ms } = await measureCall(call, { bound, attempts: ATTEMPTS_ALONE, make, msOf: heldMs })
    if (ms > bound) slow.push({ ms, call, pace: leastPace() })
  }
  return slow
}
