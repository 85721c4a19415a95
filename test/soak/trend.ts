/** A straight line through samples, and how sure it is. */
export interface Trend {
  /** Of the line, at the middle of the samples. */
  readonly mean: number
  /** Per unit of time. */
  readonly slope: number
  /** Standard error of the slope. */
  readonly error: number
}

/** Least squares. At least three samples. */
export function trendOf(samples: readonly (readonly [time: number, value: number])[]): Trend {
  const count = samples.length
  const middle = samples.reduce((sum, [time]) => sum + time, 0) / count
  const mean = samples.reduce((sum, [, value]) => sum + value, 0) / count
  const spread = samples.reduce((sum, [time]) => sum + (time - middle) ** 2, 0)
  const slope = samples.reduce((sum, [time, value]) => sum + (time - middle) * (value - mean), 0) / spread
  const rest = samples.reduce((sum, [time, value]) => sum + (value - mean - slope * (time - middle)) ** 2, 0)
  return { mean, slope, error: Math.sqrt(rest / Math.max(1, count - 2) / spread) }
}
