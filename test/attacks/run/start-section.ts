import { setTimeout as sleep } from 'node:timers/promises'
import { at } from '../../../src/util/at.js'
import { leastPace } from '../../support/costs/longest-piece.js'
import { heldMs } from '../../support/fresh-memory.js'
import { busyMs, type LoopTurn } from '../../support/loop-turn.js'
import { startAttackedService } from '../support/attack.js'
import { FIRST_USES, firstUses } from '../support/first-use.js'
import { DOCUMENTS } from '../support/http-attack.js'
import type { Section, SectionResult } from './section.js'

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
    let notEndedWell = 0
    const { text, failures } = await lookedAtTwice(
      `the longest turn after \`ready\`, of ${repetitions} starts`,
      async () => {
        const starts: (readonly LoopTurn[])[] = []
        for (let count = 0; count < repetitions; count += 1) {
          const { turns, endedWell } = await turnsAfterReady()
          starts.push(turns)
          if (!endedWell) notEndedWell += 1
        }
        return [firstRow('what was left for later is read', starts)]
      },
    )
    return { text, failures: failures + notEndedWell }
  },
}

/** Whom the first request of each kind holds up: something is read, made or compiled only then. */
export const FIRST_USE_SECTION: Section = {
  name: 'first use',
  run: (repetitions) =>
    lookedAtTwice(
      `the longest turn while it is sent for the first time, of ${repetitions} starts; the slowest of ${FIRST_USES.length} requests`,
      () => firstRows(repetitions),
    ),
}

async function turnsAfterReady(): Promise<{ turns: readonly LoopTurn[]; endedWell: boolean }> {
  const service = await startAttackedService(DOCUMENTS, {})
  await service.takeTurns()
  await sleep(LOOKED_AT_MS)
  const turns = await service.takeTurns()
  return { turns, endedWell: (await service.stop()) === 0 }
}

/**
 * As rows of other sections: what is over its bound is looked at again, the bound is as many times as high as usual work took
 * longer then, and what is over twice counts.
 */
async function lookedAtTwice(
  title: string,
  look: () => Promise<readonly FirstRow[]>,
): Promise<SectionResult> {
  const first = await look()
  const over = first.filter(({ longest }) => isOver(longest, 1))
  if (over.length === 0) return { text: tableOf(title, first, 1), failures: 0 }
  const before = leastPace()
  const second = await look()
  const pace = Math.min(before, leastPace())
  const { length } = second.filter(
    ({ name, longest }) => isOver(longest, pace) && over.some((row) => row.name === name),
  )
  const titleAgain = `${title}, again, when usual work took ${pace.toFixed(1)} times as long`
  return {
    text: `${tableOf(title, first, 1)}\n\n${tableOf(titleAgain, second, pace)}`,
    failures: length,
  }
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

function tableOf(title: string, rows: readonly FirstRow[], pace: number): string {
  const lines = rows.slice(0, LISTED).map((row) => lineOf(row, pace))
  return `${headOf(title)}\n${lines.join('\n')}`
}

function headOf(title: string): string {
  return `| ${title} | median, ms of processor time | third worst, ms | worst, ms | third worst on this machine, ms | |\n|---|---|---|---|---|---|`
}

function lineOf({ name, longest, longestHere }: FirstRow, pace: number): string {
  const sorted = longest.toSorted((a, b) => b - a)
  const figures = [
    sorted[sorted.length >> 1] ?? 0,
    thirdOf(longest),
    sorted[0] ?? 0,
    thirdOf(longestHere),
  ].map((ms) => ms.toFixed(1))
  return `| ${name.replaceAll('|', '\\|')} | ${figures.join(' | ')} | ${isOver(longest, pace) ? '**over**' : ''} |`
}

function isOver(longest: readonly number[], pace: number): boolean {
  return thirdOf(longest) > BOUND_MS * pace
}

function thirdOf(longest: readonly number[]): number {
  return longest.toSorted((a, b) => b - a)[Math.min(LEFT_OUT, longest.length - 1)] ?? 0
}
