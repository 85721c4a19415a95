import { toWireUsage } from '../agents/cycle/turn-event.js'
import { type JsonObject, type JsonValue, textOrJson } from '../util/json/json.js'
import type { Checkpoint, RoundRecord } from './checkpoint.js'
import { ENDINGS, type TaskEndedBy } from './next-phase.js'
import { outputsOf, planWithRecords, type StepRecords } from './step-record.js'
import type { WireTaskResult } from './task-event.js'

/**
 * What a task came to: the output of its last round that ran, of an exhausted task that of its best one, by overall
 * score. The text is the last completed step's.
 */
export function taskResult(
  endedBy: TaskEndedBy,
  checkpoint: Checkpoint,
  records: StepRecords,
): WireTaskResult {
  const ran = checkpoint.rounds.filter(({ plan }) => plan !== undefined)
  const chosen = ENDINGS[endedBy].status === 'exhausted' ? bestOf(ran) : ran.at(-1)
  const plan = chosen === undefined ? undefined : planWithRecords(chosen, records)
  const outputs = plan === undefined ? new Map<string, JsonValue>() : outputsOf(plan)
  const steps: JsonObject = Object.fromEntries(outputs)
  return {
    ended_by: endedBy,
    output: { text: textOf([...outputs.values()].at(-1)), steps },
    failure_count: plan?.steps.filter(({ status }) => status.s === 'failed').length ?? 0,
    rounds: checkpoint.rounds.length,
    usage: toWireUsage(checkpoint.usage),
    ...(checkpoint.cost !== undefined && { cost: checkpoint.cost }),
  }
}

function bestOf(rounds: readonly RoundRecord[]): RoundRecord | undefined {
  const scoreOf = ({ evaluation }: RoundRecord) => evaluation?.overall_score ?? -1
  return rounds.reduce<RoundRecord | undefined>(
    (best, round) => (best === undefined || scoreOf(round) > scoreOf(best) ? round : best),
    undefined,
  )
}

function textOf(value: JsonValue | undefined): string {
  return value === undefined ? '' : textOrJson(value)
}
