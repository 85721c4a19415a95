import type { JsonObject } from '../../util/json/json.js'
import type { RecordAddress } from './record-state.js'

/** Questions to people about tool calls, and the answers. */
export interface ApprovalState {
  list(address: RecordAddress): Promise<readonly ApprovalView[]>
  /**
   * Decides a pending approval. The same decision again succeeds. `pending` is how many are left: at 0 the caller
   * resumes the turn.
   *
   * @throws ServiceError `approval_not_found`, `approval_conflict`
   */
  decide(
    address: RecordAddress,
    id: string,
    decision: ApprovalDecision,
  ): Promise<{ readonly approval: ApprovalView; readonly pending: number }>
}

/** The status of an approval. */
export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'cancelled'] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

/** One question, answered or not. */
export interface ApprovalView {
  /** `[A-Za-z0-9._-]{1,128}` */
  readonly id: string
  readonly status: ApprovalStatus
  readonly data: JsonObject
  /** What was decided beside the status: edited arguments, a reason. */
  readonly decision?: JsonObject
}

/** What a person says. */
export interface ApprovalDecision {
  readonly status: 'approved' | 'rejected'
  readonly decision: JsonObject
}
