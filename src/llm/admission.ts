import { ServiceError } from '../errors.js'
import { Gate } from '../transport/resilience/gate.js'
import { toError } from '../util/errors/error-message.js'

export interface AdmissionLimits {
  readonly maxConcurrent: number
  /** How many more may wait for a place. */
  readonly maxQueue: number
  readonly queueTimeoutMs: number
}

/** The `Retry-After` of a rejected request. */
const RETRY_AFTER_SECONDS = 1

/**
 * The gate before a model's upstream: bounds the calls in flight and the calls that wait. Its `enter` throws
 * ServiceError `overloaded`, or the signal's reason.
 */
export function createAdmission({ maxConcurrent, maxQueue, queueTimeoutMs }: AdmissionLimits): Gate {
  const limits = { limit: maxConcurrent, maxWaiting: maxQueue, maxWaitMs: queueTimeoutMs }
  return new Gate(limits, {
    crowded: () => overloaded('the queue for the model is full'),
    late: () => overloaded('waited too long for the model'),
    cancelled: toError,
  })
}

function overloaded(message: string): ServiceError {
  return new ServiceError('overloaded', message, { headers: { 'retry-after': `${RETRY_AFTER_SECONDS}` } })
}
