import { setTimeout as sleep } from 'node:timers/promises'
import { errorMessage } from '../../../src/util/errors/error-message.js'
import { leastPace } from '../../support/costs/longest-piece.js'
import { heldMs } from '../../support/fresh-memory.js'
import { busyMs, type LoopTurn } from '../../support/loop-turn.js'
import type { AttackedService, HeldMemory } from '../support/attack.js'
import { type Circuits, meetsBreaker, readCircuits } from '../support/circuits.js'
import type { EntranceRow } from '../support/entrance.js'

/** One row of the table. */
export interface Measured {
  readonly name: string
  readonly cameBack: string
  /** Of all turns of the loop, in milliseconds of processor time; so are the next two. */
  readonly p99: number
  /** Of the repetitions' longest turns. */
  readonly third: number
  readonly worst: number
  /** The same as {@link p99} with what this machine takes more than usual ones to give a process new memory. */
  readonly p99Here: number
  /** In bytes, at the end. */
  readonly rss: number
  /** Heap and external memory after a forced collection, divided by what they were before. */
  readonly ratio: number
  readonly mistake: string | undefined
  /** Which bounds it is over. */
  readonly over: readonly Bound[]
  /** Of a row that was over a bound and was attacked again: the figures before. */
  readonly atFirst?: Pick<Measured, 'p99' | 'third' | 'ratio' | 'over'>
  /** Of such a row: how many times as long as on a quiet machine usual work took then. Its bounds on time are as many times as high. */
  readonly pace?: number
}

export type Bound = 'p99' | 'third' | 'memory'

const P99_MS = 20
const THIRD_MS = 50
const MEMORY_RATIO = 1.3
/** What compiled code and warm caches weigh; the first attacks of a process add them. */
const WARM_BYTES = 8e6
const IDLE_MS = 100
/** After the last attack, and between looks: what was answered while the answers of tools were on their way is read, and thrown away. */
const STILL_MS = 250
/** What is still held after so many looks is kept. */
const STILL_LOOKS = 8
/** The 99th percentile of fewer than a hundred turns is the longest of them: what is short is repeated until there are so many. */
const LEAST_TURNS = 300
const MOST_TIMES_AS_OFTEN = 10

/**
 * Attacks so often, or until there were enough turns of the loop, and measures. What was over a bound is attacked as often
 * again: other programs of the machine, and what is loaded once, are not there twice; what a request does, is, and what is
 * kept for good is kept again. The bounds are those of a quiet machine: the second time, those on time are higher by what
 * usual work took longer, just before or just after, whichever was less.
 */
export async function measureRow(
  service: AttackedService,
  row: EntranceRow,
  repetitions: number,
  paceNow: () => number = leastPace,
): Promise<Measured> {
  const measured = await measureOnce(service, row, repetitions)
  const first = { ...measured, over: overBounds(measured, row, 1) }
  if (first.over.length === 0 || first.mistake !== undefined) return first
  const before = paceNow()
  const again = await measureOnce(service, row, repetitions)
  const pace = Math.min(before, paceNow())
  const { p99, third, ratio, over } = first
  const worst = Math.max(first.worst, again.worst)
  return { ...again, worst, over: overBounds(again, row, pace), pace, atFirst: { p99, third, ratio, over } }
}

/** What a row took, before it is compared with its bounds. */
type Figures = Omit<Measured, 'over' | 'atFirst' | 'pace'> & { readonly holdsMore: boolean }

function overBounds({ p99, third, holdsMore }: Figures, { longestMs }: EntranceRow, pace: number): Bound[] {
  return [
    ...(p99 > (longestMs ?? P99_MS) * pace ? (['p99'] as const) : []),
    ...(third > (longestMs ?? THIRD_MS) * pace ? (['third'] as const) : []),
    ...(holdsMore ? (['memory'] as const) : []),
  ]
}

async function measureOnce(
  service: AttackedService,
  row: EntranceRow,
  repetitions: number,
): Promise<Figures> {
  const answers = new Map<string, number>()
  const mistakes: string[] = []
  let refused = 0
  let circuits: Circuits | undefined
  const repeat = async () => {
    const { answer, mistake, turns, isRefused, after } = await attackOnce(service, row, circuits)
    // What prepares an attack may close a breaker.
    circuits = row.prepare === undefined ? after : undefined
    answers.set(answer, (answers.get(answer) ?? 0) + 1)
    if (isRefused) refused += 1
    if (mistake !== undefined) mistakes.push(mistake)
    return turns
  }
  const unloaded = await service.takeMemory()
  // What runs for the first time is compiled first: that one counts as the worst only.
  const first = longestOf(await repeat())
  const before = row.leavesMuch === true ? await service.takeMemory() : unloaded
  const longest: number[] = []
  const turns: LoopTurn[] = []
  const most = repetitions * MOST_TIMES_AS_OFTEN
  while (longest.length < repetitions || (turns.length < LEAST_TURNS && longest.length < most)) {
    const taken = await repeat()
    longest.push(longestOf(taken))
    turns.push(...taken)
  }
  await row.tidy?.()
  const { after, holdsMore } = await memoryAfter(service, before)
  const p99 = percentile(
    turns.map((turn) => heldMs(turn)),
    0.99,
  )
  const third = percentile(longest, 1 - 2.5 / longest.length)
  return {
    name: row.name,
    cameBack: [...answers].map(([answer, count]) => `${answer} × ${count}`).join(', '),
    p99,
    third,
    worst: Math.max(first, ...longest),
    p99Here: percentile(turns.map(busyMs), 0.99),
    rss: after.rss,
    ratio: held(after) / held(before),
    mistake: mistakes[0] ?? mistakeOfBreaker(row, refused, longest.length + 1),
    holdsMore,
  }
}

async function memoryAfter(service: AttackedService, before: HeldMemory) {
  for (let look = 1; ; look += 1) {
    await sleep(STILL_MS)
    const after = await service.takeMemory()
    const holdsMore = held(after) > held(before) * MEMORY_RATIO && held(after) - held(before) > WARM_BYTES
    if (!holdsMore || look === STILL_LOOKS) return { after, holdsMore }
  }
}

async function attackOnce(service: AttackedService, row: EntranceRow, known: Circuits | undefined) {
  await row.prepare?.()
  const before = known ?? (await readCircuits(service))
  await service.takeTurns()
  let mistake: string | undefined
  const answer = await row.attack().catch((error: unknown) => {
    mistake = errorMessage(error)
    return 'wrong'
  })
  const turns = await service.takeTurns()
  const after = await readCircuits(service)
  return { answer, mistake, turns, isRefused: meetsBreaker(before, after), after }
}

/** A row whose attacks a circuit breaker answers says nothing of what it is about. */
function mistakeOfBreaker(
  { isAboutBreaker = false }: EntranceRow,
  refused: number,
  attacks: number,
): string | undefined {
  if (refused * 2 > attacks === isAboutBreaker) return undefined
  return `a circuit breaker answered ${refused} of ${attacks} attacks`
}

function longestOf(turns: readonly LoopTurn[]): number {
  return turns.reduce((most, turn) => Math.max(most, heldMs(turn)), 0)
}

function held({ heapUsed, external }: HeldMemory): number {
  return heapUsed + external
}

/** The same while nothing is sent. */
export function measureIdle(service: AttackedService, repetitions: number): Promise<Measured> {
  const attack = () => new Promise<string>((resolve) => setTimeout(resolve, IDLE_MS, 'nothing'))
  return measureRow(service, { name: 'idle control', attack }, repetitions)
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * part) - 1))] ?? 0
}
