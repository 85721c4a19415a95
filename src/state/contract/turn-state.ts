import type { JsonObject } from '../../util/json/json.js'
import type { EventId } from '../logged-event.js'
import type { RecordAddress } from './record-state.js'

/** A turn is open while it is one of the first three. */
export const TURN_STATUSES = [
  'queued',
  'running',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'exhausted',
  'timed_out',
] as const

/** The status of a turn. */
export type TurnStatus = (typeof TURN_STATUSES)[number]

/** Turns as they can be looked at without a lease. */
export interface TurnState {
  /** @throws ServiceError `turn_not_found` */
  read(address: RecordAddress, turn: number): Promise<TurnView>
}

/** One turn of a record, as far as it got. */
export interface TurnView {
  readonly turn: number
  readonly status: TurnStatus
  readonly context: string
  readonly input: JsonObject
  readonly state: JsonObject | undefined
  readonly result: JsonObject | undefined
  readonly startedAt: number
  readonly endedAt: number | undefined
  /** The turn's first event has this id; undefined while it is queued. */
  readonly firstEvent: EventId | undefined
  /** Its last event, when it is over and had any. */
  readonly lastEvent: EventId | undefined
}

/** Which turns of sessions are open, for the sweep that finds those that nobody runs. */
export interface OpenTurns {
  /**
   * Sessions with a turn that should run and that nobody runs: its lease is over, or all its approvals are decided. At
   * most `limit`; each comes again after `againMs`, so that of several sweeping processes one gets it. A turn is found
   * also when its process died right after it began.
   */
  due(limit: number, againMs: number): Promise<readonly RecordAddress[]>
}

/** Which tasks are not over, for the sweep that finds lost ones. */
export interface OpenTasks {
  /**
   * Ids of tasks whose next check is due, at most `limit`; their next check is `againMs` later, so that of several
   * sweeping processes one gets each. Tasks that are over or gone are left out and forgotten.
   */
  due(limit: number, againMs: number): Promise<readonly string[]>
}
