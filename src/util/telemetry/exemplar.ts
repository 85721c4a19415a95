/** One measured value, and the span that it was measured in. */
export interface Exemplar {
  /** W3C trace context, version 00. */
  readonly traceparent: string
  readonly value: number
  /** When, in epoch milliseconds. */
  readonly at: number
}

const SAMPLED = 1

/** Whether somebody keeps the trace: an exemplar of another leads nowhere. */
export function isSampled(traceparent: string): boolean {
  return (Number.parseInt(traceparent.slice(-2), 16) & SAMPLED) === SAMPLED
}
