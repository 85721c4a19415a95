import { toWireUsage, type WireUsage } from '../agents/cycle/turn-event.js'
import type { RecordView, TurnView } from '../state/state-store.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import { type Checkpoint, PHASES, type Phase, type RoundRecord, readCheckpoint } from './checkpoint.js'
import type { Evaluation } from './evaluation.js'
import type { StepError } from './plan.js'
import type { Reflection } from './reflection.js'
import { planWithRecords, readRecords, type StepRecords, stepKey } from './step-record.js'
import { readTaskHead, readTaskInput, statusOf, type TaskStatus } from './stored-task.js'
import { toWirePlan, type WirePlan, type WireStep } from './wire-plan.js'

/** A task in lists. */
export interface WireTaskSummary {
  readonly id: string
  readonly status: TaskStatus
  readonly description: string
  readonly agent?: string
  readonly created_at: string
  /** When everything of it is forgotten; absent before its end. */
  readonly expires_at?: string
}

/** A round as bodies show it; what it does not have yet is absent. */
export interface WireRound {
  readonly round: number
  readonly plan?: TimedPlan
  readonly error?: StepError
  readonly evaluation?: Evaluation
  readonly reflection?: Reflection
  /** The phases that are over, in their order. */
  readonly phases?: readonly WirePhase[]
}

/** A phase of a round, and its times in ISO 8601. */
export interface WirePhase {
  readonly phase: Phase
  readonly started_at: string
  readonly ended_at: string
}

/** A plan whose steps say when they ran. */
export interface TimedPlan extends WirePlan {
  readonly steps: readonly TimedStep[]
}

/** A step with its times in ISO 8601, as far as it is. */
export interface TimedStep extends WireStep {
  readonly started_at?: string
  readonly ended_at?: string
}

/** A whole task. */
export interface WireTask extends WireTaskSummary {
  readonly metadata: JsonObject
  /** What it has used so far. */
  readonly usage?: WireUsage
  /** In the currency of the configured prices. */
  readonly cost?: number
  /** At every ending. */
  readonly result?: JsonValue
  readonly error?: JsonValue
  readonly rounds: readonly WireRound[]
}

/** A task in the names of the wire, without what it did. */
export function toWireSummary(record: RecordView): WireTaskSummary {
  const { description, agent } = readTaskHead(record.head)
  const { id, createdAt, expiresAt } = record
  return {
    id,
    status: statusOf(record),
    description,
    ...(agent !== undefined && { agent }),
    created_at: new Date(createdAt).toISOString(),
    ...(expiresAt !== undefined && { expires_at: new Date(expiresAt).toISOString() }),
  }
}

/** A task in the names of the wire, with its rounds as far as they are. */
export function toWireTask(
  record: RecordView,
  turn: TurnView,
  entries: ReadonlyMap<string, JsonValue>,
): WireTask {
  const checkpoint = readCheckpoint(turn.state)
  const records = readRecords(entries)
  return {
    ...toWireSummary(record),
    metadata: readTaskInput(turn.input).metadata,
    ...(checkpoint !== undefined && usedBy(checkpoint)),
    ...turn.result,
    rounds: (checkpoint?.rounds ?? []).map((round) => {
      const plan = planWithRecords(round, records)
      const { planError, evaluation, reflection, times } = round
      return {
        round: round.round,
        ...(plan !== undefined && { plan: withTimes(toWirePlan(plan), round.round, records) }),
        ...(planError !== undefined && { error: planError }),
        ...(evaluation !== undefined && { evaluation }),
        ...(reflection !== undefined && { reflection }),
        ...(times !== undefined && { phases: toWirePhases(times) }),
      }
    }),
  }
}

function usedBy({ usage, cost }: Checkpoint): Pick<WireTask, 'usage' | 'cost'> {
  return { usage: toWireUsage(usage), ...(cost !== undefined && { cost }) }
}

function toWirePhases(times: NonNullable<RoundRecord['times']>): readonly WirePhase[] {
  return PHASES.flatMap((phase) => {
    const time = times[phase]
    return time === undefined ? [] : [{ phase, started_at: isoOf(time[0]), ended_at: isoOf(time[1]) }]
  })
}

function withTimes(plan: WirePlan, round: number, records: StepRecords): TimedPlan {
  const steps = plan.steps.map((step) => {
    const { startedAt, endedAt } = records.get(stepKey(round, step.id)) ?? {}
    return {
      ...step,
      ...(startedAt !== undefined && { started_at: isoOf(startedAt) }),
      ...(endedAt !== undefined && { ended_at: isoOf(endedAt) }),
    }
  })
  return { ...plan, steps }
}

function isoOf(time: number): string {
  return new Date(time).toISOString()
}
