import type { Exemplar } from './exemplar.js'

/** How a number of several processes becomes one; `omit` is of no meaning for several. */
export type Together = 'sum' | 'max' | 'min' | 'average' | 'first' | 'omit'

/** One number of a family. */
export interface MetricSample {
  /** Where it is not the family's: `…_bucket`, `…_sum` and `…_count` of a histogram. */
  readonly name?: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
  /** Of a bucket: a value in it that a trace can show. */
  readonly exemplar?: Exemplar
}

/** A metric with all its numbers at one moment: plain data, for other processes too. */
export interface MetricFamily {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly together: Together
  readonly samples: readonly MetricSample[]
}
