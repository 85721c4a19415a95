import type { WorkerStatus } from '../../http/status/fleet.js'
import { isJsonObject } from '../../util/json/json.js'
import { textField } from '../../util/json/json-fields.js'
import type { MetricFamily } from '../../util/telemetry/metric-family.js'

/** How one worker is. */
export interface WorkerReport {
  readonly status: WorkerStatus
  readonly metrics: readonly MetricFamily[]
}

/** How all workers are, and what those counted that ended. */
export interface FleetReport {
  readonly workers: readonly WorkerReport[]
  readonly ended: readonly MetricFamily[]
}

/** Messages of the primary to a worker. */
export type ToWorker =
  /** The answer to `hello`: the worker's number, from 1, and whether others serve until its catalog is loaded. */
  | { readonly kind: 'start'; readonly number: number; readonly othersServe: boolean }
  /** The service ends. */
  | { readonly kind: 'end' }
  /** Another worker has taken this one's place. */
  | { readonly kind: 'retire' }
  | { readonly kind: 'report-wanted'; readonly id: number }
  | { readonly kind: 'fleet'; readonly id: number; readonly report: FleetReport }

/** Messages of a worker to the primary. */
export type ToPrimary =
  | { readonly kind: 'hello' }
  /** It serves. */
  | { readonly kind: 'listening' }
  /** Its event loop turns. */
  | { readonly kind: 'beat' }
  | { readonly kind: 'report'; readonly id: number; readonly report: WorkerReport }
  /** The last one, right before it ends. */
  | { readonly kind: 'farewell'; readonly report: WorkerReport }
  | { readonly kind: 'fleet-wanted'; readonly id: number }

const TO_WORKER: readonly string[] = [
  'start',
  'end',
  'retire',
  'report-wanted',
  'fleet',
] satisfies ToWorker['kind'][]
const TO_PRIMARY: readonly string[] = [
  'hello',
  'listening',
  'beat',
  'report',
  'farewell',
  'fleet-wanted',
] satisfies ToPrimary['kind'][]

/** Whether a message is one of the primary's, and not one that somebody else sends through the process's channel. */
export function isToWorker(message: unknown): message is ToWorker {
  return isOf(TO_WORKER, message)
}

/** Whether a message is one of a worker's. */
export function isToPrimary(message: unknown): message is ToPrimary {
  return isOf(TO_PRIMARY, message)
}

function isOf(kinds: readonly string[], message: unknown): boolean {
  return isJsonObject(message) && kinds.includes(textField(message, 'kind') ?? '')
}
