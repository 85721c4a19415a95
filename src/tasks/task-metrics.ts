import type { GuardCounter } from '../agents/guards/count-guards.js'
import type { Logger } from '../util/telemetry/logger.js'
import { type Metrics, SECONDS_BUCKETS } from '../util/telemetry/metrics.js'
import type { TaskObserver } from './task-runtime.js'

/** Upper bounds in seconds: tasks take minutes and hours. */
const TASK_BUCKETS = [...SECONDS_BUCKETS, 120, 600, 1_800, 3_600]

/** Counts what tasks do, and writes one line for each phase and ending; never what they are about. */
export function observeTasks(
  metrics: Metrics,
  guards: GuardCounter,
  logger: Logger,
): Omit<TaskObserver, 'decided'> {
  const tasks = metrics.counter('task_total', 'Tasks that ended, by why', ['ended_by'])
  const durations = metrics.histogram(
    'task_duration_seconds',
    'Time of a task, without waiting for people',
    [],
    TASK_BUCKETS,
  )
  const phases = metrics.counter('task_phases_total', 'Phases of tasks that began', ['phase'])
  const steps = metrics.counter('task_steps_total', 'Steps of tasks that were settled, by how', ['status'])
  return {
    event(task, event) {
      if (event.type === 'phase.started') {
        phases.with(event.phase).value += 1
        logger.info({ task, round: event.round, phase: event.phase }, 'task phase')
      }
      if (event.type === 'rollback') guards.tookBack(event.reason)
      if (event.type === 'step.updated' && event.step.status !== 'running')
        steps.with(event.step.status).value += 1
    },
    ended(task, { ended_by: endedBy, rounds, failure_count: failures, usage }, durationMs) {
      tasks.with(endedBy).value += 1
      durations.with().observe(durationMs / 1_000)
      const { input_tokens: inputTokens, output_tokens: outputTokens } = usage
      logger.info({ task, endedBy, rounds, failures, durationMs, inputTokens, outputTokens }, 'task')
    },
    failed: (task, err) => logger.error({ task, err }, 'a task failed unexpectedly'),
  }
}
