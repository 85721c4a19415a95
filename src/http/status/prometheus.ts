import type { Registry, RegistryContentType } from 'prom-client'
import { at } from '../../util/at.js'
import { lazyPackage } from '../../util/packages/lazy-package.js'
import type { Exemplar } from '../../util/telemetry/exemplar.js'
import type { MetricFamily, MetricSample } from '../../util/telemetry/metric-family.js'
import type {
  CounterFamily,
  Distribution,
  GaugeFamily,
  HistogramFamily,
  LabelValues,
  Metrics,
} from '../../util/telemetry/metrics.js'

const client = lazyPackage<typeof import('prom-client')>('prom-client')

/** Metrics as Prometheus reads them. */
export interface Exposition {
  /** Starts the process's own metrics, which the first text does otherwise. */
  load(): void
  /** What this process counted. */
  families(): Promise<readonly MetricFamily[]>
}

type Standard = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number]

/** Lends our plain numbers to the Prometheus client, which formats them and adds its own */
export function createExposition(metrics: Metrics): Exposition {
  let registry: Registry | undefined
  const load = () => {
    if (registry === undefined) {
      registry = new (client().Registry)()
      client().collectDefaultMetrics({ register: registry })
    }
    return registry
  }
  const families = async () => {
    const standard = await load().getMetricsAsJSON()
    return [...collect(metrics), ...standard.map(ofClient)]
  }
  return {
    load: () => void load(),
    families,
  }
}

function collect(metrics: Metrics): MetricFamily[] {
  return [
    ...metrics.counters.map(ofCounter),
    ...metrics.gauges.map(ofGauge),
    ...metrics.histograms.map(ofHistogram),
  ]
}

function ofCounter({ name, help, labelNames, series }: CounterFamily): MetricFamily {
  const samples = [...series.values()].map((each) => sample(each.series.value, labelNames, each.labels))
  return { name, help, type: 'counter', together: 'sum', samples }
}

function ofGauge({ name, help, labelNames, together, read }: GaugeFamily): MetricFamily {
  const found = read()
  const rows = typeof found === 'number' ? [[[], found] as const] : found
  const samples = rows.map(([labels, value]) => sample(value, labelNames, labels))
  return { name, help, type: 'gauge', together, samples }
}

function ofHistogram(family: HistogramFamily): MetricFamily {
  const { name, help, series } = family
  const samples = [...series.values()].flatMap((each) => distribution(family, each.labels, each.series))
  return { name, help, type: 'histogram', together: 'sum', samples }
}

function distribution(
  { name, labelNames, buckets }: HistogramFamily,
  labels: LabelValues,
  { counts, sum, count, exemplars }: Distribution,
): MetricSample[] {
  const bucket = (value: number, bound: string, exemplar: Exemplar | undefined): MetricSample => ({
    ...sample(value, [...labelNames, 'le'], [...labels, bound], `${name}_bucket`),
    ...(exemplar !== undefined && { exemplar }),
  })
  let cumulative = 0
  const rows = buckets.map((bound, index) => {
    cumulative += at(counts, index)
    return bucket(cumulative, String(bound), exemplars[index])
  })
  return [
    ...rows,
    bucket(count, '+Inf', exemplars[buckets.length]),
    sample(sum, labelNames, labels, `${name}_sum`),
    sample(count, labelNames, labels, `${name}_count`),
  ]
}

function sample(value: number, names: readonly string[], labels: LabelValues, name?: string): MetricSample {
  const pairs = names.map((label, index) => [label, labels[index] ?? ''] as const)
  return { value, labels: Object.fromEntries(pairs), ...(name !== undefined && { name }) }
}

/** One of Node's own, which the client takes. */
function ofClient({ name, help, type, aggregator, values }: Standard): MetricFamily {
  const samples = values.map((value) => {
    const series = 'metricName' in value ? { name: String(value.metricName) } : {}
    return { ...series, labels: definedOf(value.labels), value: value.value }
  })
  return { name, help, type: String(type), together: aggregator, samples }
}

function definedOf(labels: Readonly<Record<string, string | number | undefined>>): MetricSample['labels'] {
  return Object.fromEntries(
    Object.entries(labels).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )
}

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
