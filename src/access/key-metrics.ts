import type { Metrics } from '../util/telemetry/metrics.js'

/** Why a request was not let in. */
export type KeyRefusal = 'unknown' | 'expired' | 'scope' | 'rate'

/** Counts requests by the names of their keys; never by the keys. */
export interface KeyMetrics {
  /** Does nothing for keys without names. */
  admitted(name: string | undefined): void
  refused(name: string | undefined, reason: KeyRefusal): void
}

/** Creates the counters of keys. There are as many series as keys have names. */
export function createKeyMetrics(metrics: Metrics): KeyMetrics {
  const admitted = metrics.counter('api_key_requests_total', 'Requests let in, by the name of their key', [
    'key',
  ])
  const refused = metrics.counter('api_key_refusals_total', 'Requests not let in', ['key', 'reason'])
  return {
    admitted(name) {
      if (name !== undefined) admitted.with(name).value += 1
    },
    refused(name, reason) {
      refused.with(name ?? '', reason).value += 1
    },
  }
}
