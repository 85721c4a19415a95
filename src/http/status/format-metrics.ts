import type { RegistryContentType } from 'prom-client'
import { lazyPackage } from '../../util/packages/lazy-package.js'
import type { Exemplar } from '../../util/telemetry/exemplar.js'
import type { MetricFamily } from '../../util/telemetry/metric-family.js'

const client = lazyPackage<typeof import('prom-client')>('prom-client')

/** Prometheus' own text format, and the one that has exemplars, for scrapers that ask for it. */
export type MetricsFormat = 'prometheus' | 'openmetrics'

/** Content types by format. */
export const METRICS_TYPES: Readonly<Record<MetricsFormat, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

/** Which format a scraper asks for with its `Accept`. */
export function metricsFormatOf(accept = ''): MetricsFormat {
  return accept.includes('application/openmetrics-text') ? 'openmetrics' : 'prometheus'
}

/** Metrics as text. */
export function formatMetrics(families: readonly MetricFamily[], format: MetricsFormat): Promise<string> {
  const { Registry } = client()
  const isOpen = format === 'openmetrics'
  const registry = new Registry<RegistryContentType>()
  if (isOpen) registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  for (const { name: whole, help, type, together, samples } of families) {
    // The client adds it again.
    const name = isOpen && type === 'counter' ? whole.replace(/_total$/, '') : whole
    const values = samples.map(({ name: metricName, labels, value, exemplar }) => ({
      labels,
      value,
      ...(metricName !== undefined && { metricName }),
      ...(exemplar !== undefined && { exemplar: toClient(exemplar) }),
    }))
    const read = { name, help, type, aggregator: together, values }
    // The client's type asks for its own classes; what it calls is `get` and `name`.
    registry.registerMetric({ name, get: async () => read } as never)
  }
  return registry.metrics()
}

/** As OpenMetrics writes it: the span by its ids, the time in seconds. */
function toClient({ traceparent, value, at }: Exemplar) {
  const [, trace_id = '', span_id = ''] = traceparent.split('-')
  return { labelSet: { trace_id, span_id }, value, timestamp: at / 1_000 }
}
