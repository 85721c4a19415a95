import { toWireUsage } from '../agents/cycle/turn-event.js'
import type { ReadonlyStatic } from '../schema/readonly-static.js'
import type { TaskAnswer, TaskSummaryAnswer } from '../schema/task-api.js'
import { TASK_PHASES, type TaskPhase } from '../schema/task-work.js'
import type { RecordView } from '../state/contract/record-state.js'
import type { TurnView } from '../state/contract/turn-state.js'
import type { JsonValue } from '../util/json/json.js'
import { type Checkpoint, type RoundRecord, readCheckpoint } from './checkpoint.js'
import { planWithRecords, readRecords, type StepRecords, stepKey } from './step-record.js'
import { readTaskHead, readTaskInput, statusOf } from './stored-task.js'
import { toWirePlan, type WirePlan } from './wire-plan.js'

/** A task in lists. */
export type WireTaskSummary = ReadonlyStatic<typeof TaskSummaryAnswer>

/** A whole task, but for whether its state is durable. */
export type WireTask = Omit<ReadonlyStatic<typeof TaskAnswer>, 'durable'>

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

function toWirePhases(times: NonNullable<RoundRecord['times']>): readonly ReadonlyStatic<typeof TaskPhase>[] {
  return TASK_PHASES.flatMap((phase) => {
    const time = times[phase]
    return time === undefined ? [] : [{ phase, started_at: isoOf(time[0]), ended_at: isoOf(time[1]) }]
  })
}

function withTimes(plan: WirePlan, round: number, records: StepRecords): WirePlan {
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
