import type { RecordView, TurnView } from '../state/state-store.js'
import type { JsonObject, JsonValue } from '../util/json.js'
import { readCheckpoint } from './checkpoint.js'
import type { Evaluation } from './evaluation.js'
import type { StepError } from './plan.js'
import type { Reflection } from './reflection.js'
import { planWithRecords, readRecords } from './step-record.js'
import { readHead, readInput, statusOf, type TaskStatus } from './stored-task.js'
import { toWirePlan, type WirePlan } from './wire-plan.js'

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
  readonly plan?: WirePlan
  readonly error?: StepError
  readonly evaluation?: Evaluation
  readonly reflection?: Reflection
}

/** A whole task. */
export interface WireTask extends WireTaskSummary {
  readonly metadata: JsonObject
  /** At every ending. */
  readonly result?: JsonValue
  readonly error?: JsonValue
  readonly rounds: readonly WireRound[]
}

/** A task in the names of the wire, without what it did. */
export function toWireSummary(record: RecordView): WireTaskSummary {
  const { description, agent } = readHead(record.head)
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
    metadata: readInput(turn.input).metadata,
    ...turn.result,
    rounds: (checkpoint?.rounds ?? []).map((round) => {
      const plan = planWithRecords(round, records)
      const { planError, evaluation, reflection } = round
      return {
        round: round.round,
        ...(plan !== undefined && { plan: toWirePlan(plan) }),
        ...(planError !== undefined && { error: planError }),
        ...(evaluation !== undefined && { evaluation }),
        ...(reflection !== undefined && { reflection }),
      }
    }),
  }
}
