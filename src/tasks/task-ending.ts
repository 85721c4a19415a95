import { currentRound } from './checkpoint.js'
import { ENDINGS, type TaskEndedBy } from './next-phase.js'
import type { StepError } from './plan.js'
import { type StepRecord, stepKey } from './step-record.js'
import type { TaskEvent, WireTaskResult } from './task-event.js'
import type { TaskProgress } from './task-progress.js'
import { taskResult } from './task-result.js'

/** How a task ended, for its event and its record. */
export interface TaskEnding {
  readonly result: WireTaskResult
  readonly error: StepError | undefined
  /** Steps that were under way: they have an end, too. */
  readonly settled: ReadonlyMap<string, StepRecord>
  /** The last one. */
  readonly event: TaskEvent
}

/** What a task came to that ends here. @param cause why it failed, where its ending does not say it */
export function endTask(progress: TaskProgress, endedBy: TaskEndedBy, cause?: StepError): TaskEnding {
  const settled = settleRunning(progress, endedBy)
  const result = taskResult(endedBy, progress.checkpoint, new Map([...progress.records, ...settled]))
  const error = cause ?? errorOf(endedBy, result.rounds)
  const told = { result, ...(error !== undefined && { error }) }
  return { result, error, settled, event: { type: `task.${ENDINGS[endedBy].status}`, ...told } }
}

function settleRunning(
  { checkpoint, records }: TaskProgress,
  endedBy: TaskEndedBy,
): ReadonlyMap<string, StepRecord> {
  const round = currentRound(checkpoint)
  const settled = new Map<string, StepRecord>()
  for (const { id } of round?.plan?.steps ?? []) {
    const key = stepKey(round?.round ?? 0, id)
    const record = records.get(key)
    if (record?.status.s !== 'running') continue
    const error = { code: codeOf(endedBy), message: ENDINGS[endedBy].meaning }
    const { attempts, startedAt } = record
    settled.set(key, {
      status: { s: 'failed', error },
      attempts,
      ...(startedAt !== undefined && { startedAt }),
    })
  }
  return settled
}

function errorOf(endedBy: TaskEndedBy, rounds: number): StepError | undefined {
  if (endedBy !== 'consecutive_failures') return undefined
  return { code: 'task_failed', message: `The task failed after ${rounds} rounds` }
}

function codeOf(endedBy: TaskEndedBy): string {
  return endedBy === 'timeout' || endedBy === 'cancelled' ? endedBy : 'interrupted'
}
