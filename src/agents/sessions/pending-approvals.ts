import type { StateStore } from '../../state/state-store.js'
import type { WireApproval } from '../cycle/turn-event.js'
import { type ApprovalOwner, toWireApproval } from './approvals.js'

/** Approvals are looked for in this many of an owner's sessions, and tasks, those used last. */
export const MAX_INBOX_RECORDS = 1_000

/** The approval requests of one owner that nobody answered yet; of the sessions or tasks used last first. */
export async function pendingApprovals(
  store: Pick<StateStore, 'list' | 'approvals'>,
  kind: ApprovalOwner['kind'],
  owner: string,
): Promise<readonly WireApproval[]> {
  const { records } = await store.list({ kind, owner, limit: MAX_INBOX_RECORDS })
  const paused = records.filter(({ status }) => status === 'paused')
  const found = await Promise.all(
    paused.map(async ({ id }) => {
      const views = await store.approvals.list({ kind, id })
      return views
        .filter(({ status }) => status === 'pending')
        .map((view) => toWireApproval({ kind, id }, view))
    }),
  )
  return found.flat()
}
