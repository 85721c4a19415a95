import { type Signal, signal } from '@preact/signals'
import type { ApiClient } from '../api/client.js'
import type { SessionDetail, WireApproval, WireTaskSummary } from '../api/shapes.js'
import type { Access } from './access.js'

/** Running agents and tasks, and what waits for a person. */
export interface Activity {
  readonly approvals: Signal<readonly WireApproval[]>
  readonly sessions: Signal<readonly SessionDetail[]>
  readonly tasks: Signal<readonly WireTaskSummary[]>
  /** Reads all of it again. @throws ApiError */
  load(): Promise<void>
}

/** Nobody announces these changes to the whole page: they are read this often while somebody looks at the tab. */
const EVERY_MS = 4_000

/** Reads what the key may see of sessions, tasks and approvals, again and again. */
export function createActivity(api: ApiClient, access: Access): Activity {
  const approvals = signal<readonly WireApproval[]>([])
  const sessions = signal<readonly SessionDetail[]>([])
  const tasks = signal<readonly WireTaskSummary[]>([])
  const load = async () => {
    const [agents, works] = [access.may('agents'), access.may('tasks')]
    const [waiting, talks, jobs] = await Promise.all([
      agents || works ? api.pendingApprovals() : undefined,
      agents ? api.sessions() : undefined,
      works ? api.tasks() : undefined,
    ])
    put(approvals, waiting?.items ?? [])
    put(sessions, talks?.items ?? [])
    put(tasks, jobs?.items ?? [])
  }
  return { approvals, sessions, tasks, load }
}

/** Reads it now and then, from the first time the key is known. */
export function followActivity({ load }: Activity, access: Access, isSeen: () => boolean): void {
  const look = () => {
    if (access.isKnown() && isSeen()) load().catch(() => {})
  }
  setInterval(look, EVERY_MS)
}

/** What is the same stays the same: a form that somebody fills in is not drawn again. */
function put<Value>(kept: Signal<readonly Value[]>, next: readonly Value[]): void {
  if (JSON.stringify(kept.peek()) !== JSON.stringify(next)) kept.value = next
}
