import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client'
import { at } from '../util/at.js'
import { lazyPackage } from '../util/lazy-package.js'
import type { LabelValues, Metrics } from '../util/metrics.js'

const client = lazyPackage<typeof import('prom-client')>('prom-client')

/** Metrics as Prometheus reads them. */
export interface Exposition {
  readonly contentType: string
  /** Starts the process's own metrics, which the first text does otherwise. */
  load(): void
  text(): Promise<string>
}

/** The text format that the client writes. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

type Values = MetricObjectWithValues<MetricValue<string>>

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
  return {
    contentType: CONTENT_TYPE,
    load: () => void load(),
    async text() {
      const standard = load()
      const own = new (client().Registry)()
      for (const values of collect(metrics)) {
        // The client's type asks for its own classes; what it calls is `get` and `name`.
        own.registerMetric({ name: values.name, get: async () => values } as never)
      }
      return `${await own.metrics()}${await standard.metrics()}`
    },
  }
}

function collect(metrics: Metrics): Values[] {
  return [
    ...metrics.counters.map(({ name, help, labelNames, series }) =>
      family(
        name,
        help,
        'counter',
        [...series.values()].map((each) => sample(each.series.value, labelNames, each.labels)),
      ),
    ),
    ...metrics.gauges.map(({ name, help, labelNames, read }) => {
      const found = read()
      const rows = typeof found === 'number' ? [[[], found] as const] : found
      return family(
        name,
        help,
        'gauge',
        rows.map(([labels, value]) => sample(value, labelNames, labels)),
      )
    }),
    ...metrics.histograms.map(({ name, help, labelNames, buckets, series }) =>
      family(
        name,
        help,
        'histogram',
        [...series.values()].flatMap(({ labels, series: { counts, sum, count } }) => {
          let cumulative = 0
          const rows = buckets.map((bound, index) => {
            cumulative += at(counts, index)
            return sample(cumulative, [...labelNames, 'le'], [...labels, String(bound)], `${name}_bucket`)
          })
          return [
            ...rows,
            sample(count, [...labelNames, 'le'], [...labels, '+Inf'], `${name}_bucket`),
            sample(sum, labelNames, labels, `${name}_sum`),
            sample(count, labelNames, labels, `${name}_count`),
          ]
        }),
      ),
    ),
  ]
}

function family(name: string, help: string, type: string, values: readonly object[]): Values {
  return { name, help, type, values, aggregator: 'sum' } as unknown as Values
}

function sample(value: number, names: readonly string[], labels: LabelValues, metricName?: string): object {
  const pairs = names.map((name, index) => [name, labels[index] ?? ''] as const)
  return { value, labels: Object.fromEntries(pairs), ...(metricName === undefined ? {} : { metricName }) }
}
