import { setTimeout as sleep } from 'node:timers/promises'
import { at } from '../../../src/util/at.js'
import { heldMs } from '../../support/fresh-memory.js'
import { busyMs, type LoopTurn } from '../../support/loop-turn.js'
import { startAttackedService } from '../support/attack.js'
import { FIRST_USES, firstUses } from '../support/first-use.js'
import { DOCUMENTS } from '../support/http-attack.js'
import type { Section } from './section.js'

/** What a service reads once it is ready, it has read by then. */
const LOOKED_AT_MS = 2_500
const BOUND_MS = 20
/** Of all starts: what the machine itself does in between counts as the worst. */
const LEFT_OUT = 2
/** First uses that are listed. */
const LISTED = 10

/** Whom a service holds up that has just become ready: it reads what the start left out. */
export const START_SECTION: Section = {
  name: 'start',
  async run(repetitions) {
    const starts: (readonly LoopTurn[])[] = []
    let failures = 0
    for (let count = 0; count < repetitions; count += 1) {
      const service = await startAttackedService(DOCUMENTS, {})
      await service.takeTurns()
      await sleep(LOOKED_AT_MS)
      starts.push(await service.takeTurns())
      if ((await service.stop()) !== 0) failures += 1
    }
    const row = firstRow('what was left for later is read', starts)
    return {
      text: `${headOf(`the longest turn after \`ready\`, of ${repetitions} starts`)}\n${lineOf(row)}`,
      failures: failures + (isOver(row.longest) ? 1 : 0),
    }
  },
}

/** Whom the first request of each kind holds up: something is read, made or compiled only then. */
export const FIRST_USE_SECTION: Section = {
  name: 'first use',
  async run(repetitions) {
    const rows = await firstRows(repetitions)
    // As rows of other sections: what is over is looked at again, and counts when it is so twice.
    const again = rows.some(({ longest }) => isOver(longest)) ? await firstRows(repetitions) : undefined
    const title = `the longest turn while it is sent for the first time, of ${repetitions} starts; the slowest of ${rows.length} requests`
    return {
      text: [tableOf(title, rows), ...(again === undefined ? [] : [tableOf(`${title}, again`, again)])].join(
        '\n\n',
      ),
      failures: (again ?? []).filter(
        ({ name, longest }) =>
          isOver(longest) && rows.some((row) => row.name === name && isOver(row.longest)),
      ).length,
    }
  },
}

/** A request, and its longest turns in all starts. */
interface FirstRow {
  readonly name: string
  readonly longest: readonly number[]
  /** The same with what this machine takes more than usual ones to give a process new memory. */
  readonly longestHere: readonly number[]
}

function firstRow(name: string, starts: readonly (readonly LoopTurn[])[]): FirstRow {
  const longestBy = (msOf: (turn: LoopTurn) => number) =>
    starts.map((turns) => Math.max(0, ...turns.map((turn) => msOf(turn))))
  return { name, longest: longestBy((turn) => heldMs(turn)), longestHere: longestBy(busyMs) }
}

/** The slowest first. */
async function firstRows(repetitions: number): Promise<readonly FirstRow[]> {
  const starts: (readonly (readonly LoopTurn[])[])[] = []
  for (let count = 0; count < repetitions; count += 1) starts.push(await firstUses())
  return FIRST_USES.map(({ name }, index) =>
    firstRow(
      name,
      starts.map((start) => at(start, index)),
    ),
  ).sort((a, b) => thirdOf(b.longest) - thirdOf(a.longest))
}

function tableOf(title: string, rows: readonly FirstRow[]): string {
  const lines = rows.slice(0, LISTED).map(lineOf)
  return `${headOf(title)}\n${lines.join('\n')}`
}

function headOf(title: string): string {
  return `| ${title} | median, ms of processor time | third worst, ms | worst, ms | third worst on this machine, ms | |\n|---|---|---|---|---|---|`
}

function lineOf({ name, longest, longestHere }: FirstRow): string {
  const sorted = longest.toSorted((a, b) => b - a)
  const figures = [
    sorted[sorted.length >> 1] ?? 0,
    thirdOf(longest),
    sorted[0] ?? 0,
    thirdOf(longestHere),
  ].map((ms) => ms.toFixed(1))
  return `| ${name.replaceAll('|', '\\|')} | ${figures.join(' | ')} | ${isOver(longest) ? '**over**' : ''} |`
}

function isOver(longest: readonly number[]): boolean {
  return thirdOf(longest) > BOUND_MS
}

function thirdOf(longest: readonly number[]): number {
  return longest.toSorted((a, b) => b - a)[Math.min(LEFT_OUT, longest.length - 1)] ?? 0
}
