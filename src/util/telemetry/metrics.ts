import { at } from '../at.js'
import { type Exemplar, isSampled } from './exemplar.js'
import type { Together } from './metric-family.js'

/** Label values, in the order of the label names. */
export type LabelValues = readonly string[]

/** One number that only grows; cheap enough for every request. Keep the object, not its name. */
export interface Count {
  value: number
}

/** One distribution over fixed buckets. */
export interface Distribution {
  readonly counts: number[]
  sum: number
  count: number
  /** The last value of each bucket that belongs to a sampled trace; the one beyond all bounds is the last. */
  readonly exemplars: readonly (Exemplar | undefined)[]
  /** @param traceparent of the span that it was measured in */
  observe(value: number, traceparent?: string): void
}

interface Family<Series> {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  readonly series: ReadonlyMap<string, { readonly labels: LabelValues; readonly series: Series }>
}

export type CounterFamily = Family<Count> & {
  /** The series of these label values, created on first use. Bounded: label values must come from small sets. */
  with(...labels: LabelValues): Count
}
export type HistogramFamily = Family<Distribution> & {
  readonly buckets: readonly number[]
  with(...labels: LabelValues): Distribution
}
export interface GaugeFamily {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  /** How those of several workers become one. */
  readonly together: Together
  /** Read at scrape time. */
  readonly read: () => number | readonly (readonly [labels: LabelValues, value: number])[]
}

/**
 * Where modules count what they do. Plain numbers: the Prometheus client reads them at scrape time,
 * because its own histograms cost a tenth of a request each. Each metric is defined once: a name that is there is refused.
 */
export interface Metrics {
  counter(name: string, help: string, labelNames?: readonly string[]): CounterFamily
  /** @param buckets upper bounds; default {@link SECONDS_BUCKETS} */
  histogram(
    name: string,
    help: string,
    labelNames?: readonly string[],
    buckets?: readonly number[],
  ): HistogramFamily
  /** @param options `together` is `sum` unless given */
  gauge(
    name: string,
    help: string,
    read: GaugeFamily['read'],
    options?: Partial<Pick<GaugeFamily, 'labelNames' | 'together'>>,
  ): void
  readonly counters: readonly CounterFamily[]
  readonly histograms: readonly HistogramFamily[]
  readonly gauges: readonly GaugeFamily[]
}

/** Upper bounds in seconds, from a tenth of a millisecond to a minute. */
export const SECONDS_BUCKETS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
] as const

/** Creates an empty set of metrics. */
export function createMetrics(now: () => number = Date.now): Metrics {
  const counters: CounterFamily[] = []
  const histograms: HistogramFamily[] = []
  const gauges: GaugeFamily[] = []
  const names = new Set<string>()
  const claim = (name: string) => {
    if (names.has(name)) throw new Error(`the metric ${name} is defined already`)
    names.add(name)
  }
  return {
    counters,
    histograms,
    gauges,
    counter(name, help, labelNames = []) {
      claim(name)
      const family = { name, help, labelNames, ...seriesOf<Count>(() => ({ value: 0 })) }
      counters.push(family)
      return family
    },
    histogram(name, help, labelNames = [], buckets = SECONDS_BUCKETS) {
      claim(name)
      const family = { name, help, labelNames, buckets, ...seriesOf(() => new Buckets(buckets, now)) }
      histograms.push(family)
      return family
    },
    gauge(name, help, read, { labelNames = [], together = 'sum' } = {}) {
      claim(name)
      gauges.push({ name, help, labelNames, together, read })
    },
  }
}

function seriesOf<Series>(create: () => Series) {
  const series = new Map<string, { labels: LabelValues; series: Series }>()
  return {
    series,
    with(...labels: LabelValues): Series {
      // Most have one label, which needs no new text. Rows `0.5 KB` of `npm run bench:chat`.
      const key = labels.length === 1 ? at(labels, 0) : labels.join('\u0000')
      let found = series.get(key)
      if (found === undefined) {
        found = { labels, series: create() }
        series.set(key, found)
      }
      return found.series
    },
  }
}

class Buckets implements Distribution {
  readonly counts: number[]
  sum = 0
  count = 0
  readonly exemplars: (Exemplar | undefined)[] = []
  private readonly bounds: readonly number[]
  private readonly now: () => number

  constructor(bounds: readonly number[], now: () => number) {
    this.bounds = bounds
    this.now = now
    this.counts = bounds.map(() => 0)
  }

  observe(value: number, traceparent?: string): void {
    this.sum += value
    this.count += 1
    let index = 0
    while (index < this.bounds.length && value > at(this.bounds, index)) index += 1
    if (index < this.bounds.length) this.counts[index] = at(this.counts, index) + 1
    if (traceparent !== undefined && isSampled(traceparent))
      this.exemplars[index] = { traceparent, value, at: this.now() }
  }
}
