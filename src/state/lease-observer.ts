import type { Logger } from '../util/telemetry/logger.js'
import type { Metrics } from '../util/telemetry/metrics.js'
import type { Lease } from './contract/lease-state.js'

/** Which lease something happened to. */
export type NamedLease = Pick<Lease, 'kind' | 'id' | 'turn' | 'epoch'>

/** `refused`: another process has the work, or a failover lost what was written. `expired`: the store was away for longer than the lease. */
export type LeaseLoss = 'refused' | 'expired'

/** `fenced`: the lease is not the newest. `unavailable`: the store did not answer or did not take the write. */
export type WriteRefusal = 'fenced' | 'unavailable'

/** Notified of what happens to leases, for metrics and the log. */
export interface LeaseObserver {
  lost(lease: NamedLease, cause: LeaseLoss): void
  refused(lease: NamedLease, reason: WriteRefusal): void
  /** This process continues or ends what a process that is gone has left. */
  takenOver(lease: NamedLease, attempt: number): void
}

/** Counts lost leases, takeovers and refused writes, and writes a line for each loss and takeover. */
export function observeLeases(metrics: Metrics, logger: Logger): LeaseObserver {
  const lost = metrics.counter('state_leases_lost_total', 'Leases lost while their work ran, by cause', [
    'kind',
    'cause',
  ])
  const takenOver = metrics.counter(
    'state_takeovers_total',
    'Turns and tasks taken over from a dead process',
    ['kind'],
  )
  const refused = metrics.counter(
    'state_writes_refused_total',
    'Refused writes of turns and tasks, by reason',
    ['kind', 'reason'],
  )
  return {
    lost(lease, cause) {
      lost.with(lease.kind, cause).value += 1
      logger.warn({ ...fieldsOf(lease), cause }, 'lease lost')
    },
    refused({ kind }, reason) {
      refused.with(kind, reason).value += 1
    },
    takenOver(lease, attempt) {
      takenOver.with(lease.kind).value += 1
      logger.warn({ ...fieldsOf(lease), attempt }, 'taken over')
    },
  }
}

function fieldsOf({ kind, id, turn, epoch }: NamedLease) {
  return { [kind]: id, turn, epoch }
}
