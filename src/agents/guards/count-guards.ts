import type { Metrics } from '../../util/telemetry/metrics.js'

/** Counts what guards do, whoever runs the turn. */
export interface GuardCounter {
  /** A message was taken back. */
  tookBack(reason: string): void
  /** Told of every turn: one that went in circles is counted. */
  ended(endedBy: string): void
}

/** The one counter of guards, for all turns. */
export function countGuards(metrics: Metrics): GuardCounter {
  const guards = metrics.counter('agent_guard_total', 'Answers that a guard took back', ['guard'])
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
