import { type Checkpoint, currentRound, type Deaths } from './checkpoint.js'
import { nextPhase } from './next-phase.js'
import { isTerminal } from './plan.js'
import { planWithRecords, type StepRecords } from './step-record.js'
import type { TaskConfig } from './task-config.js'

/** After this many deaths in a row a phase is given up: something in it ends its processes. */
const MAX_DEATHS = 3

type Place = Omit<Deaths, 'times'>

/** The checkpoint after the process that worked on it died: deaths are counted until the task gets further. */
export function countDeath(checkpoint: Checkpoint, records: StepRecords, config: TaskConfig): Checkpoint {
  const place = placeOf(checkpoint, records, config)
  const { deaths } = checkpoint
  const times = deaths !== undefined && isSame(deaths, place) ? deaths.times + 1 : 1
  return { ...checkpoint, deaths: { ...place, times } }
}

/** Why a task whose processes die is given up; undefined if it continues. */
export function givenUp({ deaths }: Checkpoint, { maxStepRetries }: TaskConfig): string | undefined {
  if (deaths === undefined) return undefined
  const { round, phase, step, times } = deaths
  // Attempts of a step have a limit of their own, which ends the step alone.
  const most = step === undefined ? MAX_DEATHS : Math.max(MAX_DEATHS, maxStepRetries + 2)
  if (times < most) return undefined
  const place = step === undefined ? phase : `step "${step}"`
  return `${times} processes in a row died at work on the task: round ${round}, ${place}`
}

function isSame(one: Place, other: Place): boolean {
  return one.round === other.round && one.phase === other.phase && one.step === other.step
}

function placeOf(checkpoint: Checkpoint, records: StepRecords, config: TaskConfig): Place {
  const current = currentRound(checkpoint)
  const next = nextPhase(checkpoint, config)
  const phase = typeof next === 'object' ? 'end' : next
  const place = { round: current?.round ?? 1, phase }
  const plan = phase === 'execute' && current !== undefined ? planWithRecords(current, records) : undefined
  const step = plan?.steps.find(({ status }) => !isTerminal(status))?.id
  return step === undefined ? place : { ...place, step }
}
