import type { Readiness } from '../../registry/readiness.js'
import type { MetricFamily } from '../../util/telemetry/metric-family.js'

/** What `/api/status` says of one worker. */
export interface WorkerStatus {
  readonly worker: number
  readonly pid: number
  readonly uptime_seconds: number
  readonly status: Readiness
  /** Of its catalog. */
  readonly revision: string
  readonly requests_in_flight: number
}

/** All processes that serve one port, seen from one of them. */
export interface Fleet {
  /** What all of them counted, those that ended included. */
  metrics(): Promise<readonly MetricFamily[]>
  /** Those that serve. */
  workers(): Promise<readonly WorkerStatus[]>
}
