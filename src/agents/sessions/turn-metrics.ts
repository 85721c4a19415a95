import type { Logger } from '../../util/telemetry/logger.js'
import { type Metrics, SECONDS_BUCKETS } from '../../util/telemetry/metrics.js'
import type { GuardCounter } from '../guards/count-guards.js'
import type { ObserveDecision, TurnObserver, TurnReport } from './session-runtime.js'

/** Upper bounds in seconds: turns with tools take minutes. */
const TURN_BUCKETS = [...SECONDS_BUCKETS, 120, 300, 600]

/** The one counter of people's answers, for turns and tasks; writes a line for each. */
export function observeDecisions(metrics: Metrics, logger: Logger): ObserveDecision {
  const approvals = metrics.counter('approvals_total', 'Answers of people', ['decision'])
  return (decision) => {
    approvals.with(decision).value += 1
    logger.info({ decision }, 'approval')
  }
}

/** Counts what turns do, and writes one line for each; never what was said. */
export function observeTurns(
  metrics: Metrics,
  guards: GuardCounter,
  logger: Logger,
): Omit<TurnObserver, 'decided'> {
  const turns = metrics.counter('agent_turns_total', 'Turns, by what ended them', ['agent', 'ended_by'])
  const durations = metrics.histogram(
    'agent_turn_duration_seconds',
    'Time of a turn, without its pauses',
    [],
    TURN_BUCKETS,
  )
  const calls = metrics.counter('agent_tool_calls_total', 'Tool calls of models, by outcome', [
    'agent',
    'outcome',
  ])
  const commits = metrics.histogram('state_commit_duration_seconds', 'Time of a durable write')
  return {
    event(agent, event) {
      if (event.type === 'tool.result')
        calls.with(agent, event.ok ? 'ok' : (event.code ?? 'failed')).value += 1
      if (event.type === 'rollback' && event.to === undefined) guards.tookBack(event.reason)
    },
    committed: (seconds) => commits.with().observe(seconds),
    ended(report) {
      turns.with(report.agent, report.endedBy).value += 1
      durations.with().observe(report.durationMs / 1_000)
      guards.ended(report.endedBy)
      writeLine(logger, report)
    },
  }
}

function writeLine(logger: Logger, { unexpected, usage, ...report }: TurnReport): void {
  const line = { ...report, inputTokens: usage.input_tokens, outputTokens: usage.output_tokens }
  if (unexpected === undefined) logger.info(line, 'turn')
  else logger.error({ ...line, err: unexpected }, 'turn')
}
