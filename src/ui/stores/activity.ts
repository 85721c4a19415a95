import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { ApiClient } from '../api/client.js'
import type { SessionDetail, WireApproval, WireTaskSummary } from '../api/shapes.js'
import type { Access } from './access.js'

/** Running agents and tasks, and what waits for a person. */
export interface Activity {
  readonly approvals: Signal<readonly WireApproval[]>
  readonly sessions: Signal<readonly SessionDetail[]>
  readonly tasks: Signal<readonly WireTaskSummary[]>
  /** Whether there are older ones. */
  readonly hasMore: Signal<boolean>
  /** Lists older ones, too, from now on. @throws ApiError */
  loadMore(): Promise<void>
  /** Reads all of it again. @throws ApiError */
  load(): Promise<void>
}

/** The newest sessions and tasks, which are read again and again while somebody looks. */
const FIRST_LISTED = 100
/** As many as the service lists at once. */
const MAX_LISTED = 1_000

/** Reads what the key may see of sessions, tasks and approvals. */
export function createActivity(api: ApiClient, access: Access): Activity {
  const approvals = signal<readonly WireApproval[]>([])
  const sessions = signal<readonly SessionDetail[]>([])
  const tasks = signal<readonly WireTaskSummary[]>([])
  const hasMore = signal(false)
  let newest = 0
  let limit = FIRST_LISTED
  const load = async () => {
    newest += 1
    const [mine, before] = [newest, approvals.peek()]
    const [agents, works] = [access.may('agents'), access.may('tasks')]
    const [waiting, talks, jobs] = await Promise.all([
      agents || works ? api.pendingApprovals() : undefined,
      agents ? api.sessions(limit) : undefined,
      works ? api.tasks(limit) : undefined,
    ])
    // What was asked for earlier replaces nothing newer.
    if (mine !== newest) return
    if (approvals.peek() === before) put(approvals, waiting?.items ?? [])
    put(sessions, talks?.items ?? [])
    put(tasks, jobs?.items ?? [])
    hasMore.value = limit < MAX_LISTED && [talks, jobs].some((page) => page?.next_cursor !== undefined)
  }
  const loadMore = () => {
    limit = MAX_LISTED
    return load()
  }
  return { approvals, sessions, tasks, hasMore, load, loadMore }
}

export interface FollowApprovals {
  readonly api: ApiClient
  readonly access: Access
  /** Whether somebody looks at the tab. A hidden one holds no connection: browsers have few for all tabs together. */
  readonly isSeen: ReadonlySignal<boolean>
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 20_000

/** Keeps what waits for a person as it is, while somebody looks. */
export function followApprovals({ approvals }: Activity, { api, access, isSeen }: FollowApprovals): void {
  effect(() => {
    const mayAny = access.may('agents') || access.may('tasks')
    if (!access.isKnown() || !mayAny || !isSeen.value) return
    const running = new AbortController()
    void readPending(approvals, api, running.signal)
    return () => running.abort()
  })
}

async function readPending(
  approvals: Activity['approvals'],
  api: ApiClient,
  signal: AbortSignal,
): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      for await (const { data } of api.followApprovals(signal)) {
        waitMs = FIRST_WAIT_MS
        put(approvals, JSON.parse(data).items)
      }
    } catch {
      // The catalog's stream says that the service is away; this one comes back as soon as it does.
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}

/** What is the same stays the same: a form that somebody fills in is not drawn again. */
function put<Value>(kept: Signal<readonly Value[]>, next: readonly Value[]): void {
  if (JSON.stringify(kept.peek()) !== JSON.stringify(next)) kept.value = next
}
