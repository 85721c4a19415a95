import { getOrCreate } from '../util/get-or-create.js'
import type { Logger } from '../util/telemetry/logger.js'
import type { Metrics } from '../util/telemetry/metrics.js'
import type { RescuedAnswer } from './chat/rescue.js'
import type { CallRecord } from './metered-model.js'
import type { FailedAttempt, UpstreamStatus } from './resilient-model.js'

export interface LlmMetrics {
  /** Labels are upstream names only: model names come from clients and are not bounded. */
  count(call: CallRecord): void
}

/** Counts and logs attempts that fail. Reasons only: what was asked and answered stays out of the log. */
export function observeAttempts(logger: Logger, metrics: Metrics): (failed: FailedAttempt) => void {
  const failures = metrics.counter('llm_failed_attempts_total', 'Attempts that failed, by phase', [
    'upstream',
    'phase',
  ])
  return ({ upstream, model, attempt, error, requestId, retryInMs }) => {
    failures.with(upstream, error.phase).value += 1
    const { phase, status } = error
    // The system's words name the address; a provider's may hold content.
    const reason = phase === 'connect' || phase === 'network' ? error.message : undefined
    const facts = { requestId, upstream, model, attempt, phase, status, reason, retryInMs }
    logger.warn(facts, 'model attempt failed')
  }
}

/** Counts and logs answers whose calls were read where the upstream had not; never what is in them. */
export function observeRescues(logger: Logger, metrics: Metrics): (answer: RescuedAnswer) => void {
  const rescued = metrics.counter('llm_rescued_total', 'Answers with calls that their server had not read', [
    'family',
    'reason',
  ])
  return ({ upstream, requestId, family, reason }) => {
    rescued.with(family, reason).value += 1
    logger.info({ requestId, upstream, family, reason }, 'tool calls read in an answer')
  }
}

/** Registers the language model metrics. */
export function createLlmMetrics(metrics: Metrics, status: () => readonly UpstreamStatus[]): LlmMetrics {
  const label = ['upstream'] as const
  const calls = metrics.counter('llm_requests_total', 'Calls of models by outcome', ['upstream', 'outcome'])
  const tokens = metrics.counter('llm_tokens_total', 'Tokens by kind; cached ones are input too', [
    'upstream',
    'kind',
  ])
  const cost = metrics.counter('llm_cost_total', 'Cost by the price table, in its currency', label)
  const seconds = metrics.histogram('llm_request_duration_seconds', 'Time of one call', label)
  const first = metrics.histogram('llm_first_token_seconds', 'Time to the first event of a stream', label)
  const rows = (value: (each: UpstreamStatus) => number) => () =>
    status().map((each) => [[each.name], value(each)] as const)
  metrics.gauge(
    'llm_active',
    'Calls in flight',
    rows(({ active }) => active),
    { labelNames: label },
  )
  metrics.gauge(
    'llm_waiting',
    'Calls that wait for a place',
    rows(({ waiting }) => waiting),
    { labelNames: label },
  )
  const isOpen = ({ circuit }: UpstreamStatus) => (circuit === 'closed' ? 0 : 1)
  metrics.gauge('llm_circuit_open', '1 while the upstream is avoided', rows(isOpen), {
    labelNames: label,
    together: 'max',
  })

  const newSeries = (upstream: string) => ({
    success: calls.with(upstream, 'success'),
    seconds: seconds.with(upstream),
    first: first.with(upstream),
    cost: cost.with(upstream),
    input: tokens.with(upstream, 'input'),
    output: tokens.with(upstream, 'output'),
    cached: tokens.with(upstream, 'cached'),
  })
  // The series of one upstream, looked up once.
  const byUpstream = new Map<string, ReturnType<typeof newSeries>>()

  return {
    count(call) {
      const { report, usage, traceparent } = call
      const { upstream } = report
      const series = getOrCreate(byUpstream, upstream, () => newSeries(upstream))
      const outcome = call.outcome === 'success' ? series.success : calls.with(upstream, call.outcome)
      outcome.value += 1
      series.seconds.observe(call.durationMs / 1000, traceparent)
      if (call.firstTokenMs !== undefined) series.first.observe(call.firstTokenMs / 1000, traceparent)
      if (call.cost !== undefined) series.cost.value += call.cost
      if (usage === undefined) return
      series.input.value += usage.inputTokens
      series.output.value += usage.outputTokens
      series.cached.value += usage.cachedTokens
    },
  }
}
