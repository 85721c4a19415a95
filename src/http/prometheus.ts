import { collectDefaultMetrics, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client'
import type { LabelValues, Metrics } from '../util/metrics.js'

/** Metrics as Prometheus reads them. */
export interface Exposition {
  readonly contentType: string
  text(): Promise<string>
}

type Values = MetricObjectWithValues<MetricValue<string>>

/** Lends our plain numbers to the Prometheus client, which formats them and adds its own */
export function createExposition(metrics: Metrics): Exposition {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return {
    contentType: registry.contentType,
    async text() {
      const own = new Registry()
      for (const values of collect(metrics)) {
        // The client's type asks for its own classes; what it calls is `get` and `name`.
        own.registerMetric({ name: values.name, get: async () => values } as never)
      }
      return `${await own.metrics()}${await registry.metrics()}`
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
            cumulative += counts[index] as number
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
