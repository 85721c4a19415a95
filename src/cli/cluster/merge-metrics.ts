import { at } from '../../util/at.js'
import { getOrCreate } from '../../util/get-or-create.js'
import type { MetricFamily, MetricSample, Together } from '../../util/telemetry/metric-family.js'

type Merge = (values: readonly number[]) => number

const sum: Merge = (values) => values.reduce((total, value) => total + value, 0)

const MERGES: Readonly<Record<Exclude<Together, 'omit'>, Merge>> = {
  sum,
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  average: (values) => sum(values) / values.length,
  first: (values) => at(values, 0),
}

/** One late worker is what an alarm is about, not the average of all. */
const LAG = /^nodejs_eventloop_lag_(?!min_)/

/** The metrics of several processes as those of one, in the order in which they first appear. */
export function mergeMetrics(processes: readonly (readonly MetricFamily[])[]): readonly MetricFamily[] {
  return groups(processes.flat(), ({ name }) => name).flatMap(mergeFamilies)
}

/** What a process that ended leaves to the sums of those after it: what it counted, not how it was. */
export function countsOf(families: readonly MetricFamily[]): readonly MetricFamily[] {
  return families.filter(({ type }) => type === 'counter' || type === 'histogram')
}

function mergeFamilies(families: readonly MetricFamily[]): readonly MetricFamily[] {
  const first = at(families, 0)
  const together = LAG.test(first.name) ? 'max' : first.together
  if (together === 'omit') return []
  const all = families.flatMap(({ samples }) => samples)
  const samples = groups(all, keyOf).map((each) => mergeSamples(each, MERGES[together]))
  return [{ ...first, together, samples }]
}

function mergeSamples(samples: readonly MetricSample[], merge: Merge): MetricSample {
  // Between processes NaN, of which a process that just began has some, is null.
  const values = samples.map(({ value }) => value).filter(Number.isFinite)
  const sample = samples.find(({ exemplar }) => exemplar !== undefined) ?? at(samples, 0)
  return { ...sample, value: values.length === 0 ? 0 : merge(values) }
}

function keyOf({ name, labels }: MetricSample): string {
  return JSON.stringify([name, labels])
}

function groups<Value>(values: readonly Value[], key: (value: Value) => string): readonly Value[][] {
  const found = new Map<string, Value[]>()
  for (const value of values) getOrCreate(found, key(value), () => []).push(value)
  return [...found.values()]
}
