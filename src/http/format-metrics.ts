import { lazyPackage } from '../util/lazy-package.js'
import type { MetricFamily } from '../util/metric-family.js'

const client = lazyPackage<typeof import('prom-client')>('prom-client')

/** Metrics in the text format of Prometheus. */
export function formatMetrics(families: readonly MetricFamily[]): Promise<string> {
  const registry = new (client().Registry)()
  for (const { name, help, type, together, samples } of families) {
    const values = samples.map(({ name: metricName, labels, value }) => ({
      labels,
      value,
      ...(metricName !== undefined && { metricName }),
    }))
    const read = { name, help, type, aggregator: together, values }
    // The client's type asks for its own classes; what it calls is `get` and `name`.
    registry.registerMetric({ name, get: async () => read } as never)
  }
  return registry.metrics()
}
