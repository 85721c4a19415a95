import type { JsonObject } from '../../util/json/json.js'
import type { Grant } from './lease-state.js'
import type { CreateRequest, RecordAddress } from './record-state.js'
import type { OpenTurns, TurnStatus } from './turn-state.js'

/** Responses, as trees and as what somebody has to run. */
export interface ResponseState {
  /** Which turns of responses are open, as those of sessions. */
  readonly openResponses: OpenTurns
  /**
   * Makes a record whose turn runs: one trip, and a process that dies at once leaves nothing that nobody looks after. The
   * same `token` and `by` get the same lease again as long as nobody else had it.
   *
   * @throws ServiceError `already_exists`
   */
  createBegun(request: BegunRequest): Promise<BegunRecord>
  /**
   * A response and those before it, newest first, all of one owner and in one trip. None of them expires for another
   * while.
   *
   * @throws ServiceError `response_not_found` when any is gone, `limit_exceeded` for more than `limit`
   */
  chain(address: RecordAddress, limit: number): Promise<readonly ChainLink[]>
}

/** A record whose turn 1 begins as it is made. */
export interface BegunRequest extends CreateRequest {
  readonly input: object
  /** A random name of this attempt, up to 100 characters. */
  readonly by: string
}

/** A record that was just made, and the lease of its turn. */
export type BegunRecord = Pick<Grant, 'lease' | 'record'>

/** One response of a chain. */
export interface ChainLink {
  readonly id: string
  readonly status: TurnStatus
  readonly input: JsonObject
  readonly result: JsonObject | undefined
}
