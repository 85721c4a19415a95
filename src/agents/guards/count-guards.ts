import type { Metrics } from '../../util/telemetry/metrics.js'

/** Counts what guards do, for every kind of run. */
export interface GuardCounter {
  /** A message was retracted. */
  tookBack(reason: string): void
  /** Called for every turn; a turn that a loop guard ended is counted. */
  ended(endedBy: string): void
}

/** The one counter of guards, for all turns. */
export function countGuards(metrics: Metrics): GuardCounter {
  const guards = metrics.counter('agent_guard_total', 'Answers that a guard rejected', ['guard'])
  const count = (guard: string) => {
    guards.with(guard).value += 1
  }
  return {
    tookBack: count,
    ended: (endedBy) => {
      if (endedBy === 'loop') count(endedBy)
    },
  }
}
