import type { JsonValue } from '../util/json/json.js'
import type { ApprovalState } from './contract/approval-state.js'
import type { ContextState, MemoryState, MessageState } from './contract/context-state.js'
import type { EventState } from './contract/event-state.js'
import type { ItemState } from './contract/item-state.js'
import type { LeaseState } from './contract/lease-state.js'
import type { ClaimState, RecordAddress, RecordState } from './contract/record-state.js'
import type { ResponseState } from './contract/response-state.js'
import type { OpenTasks, OpenTurns, TurnState } from './contract/turn-state.js'

/**
 * What outlives a process: sessions and tasks, both as *records*. A record has an owner, an opaque head, numbered
 * turns of which at most one is open, messages in named contexts, a small memory, approvals, entries and a log of
 * events. Anybody who works on the open turn holds a *lease*; only the newest lease writes.
 *
 * A session has many turns. A task has exactly one, queued when the task is created; its checkpoint is the turn's
 * state, its steps are entries.
 *
 * What is handed over is plain data: it is stored as JSON says it and never looked into. Leave it unchanged; what comes
 * back is JSON, as anybody may have written it.
 * Every operation is atomic: it happens whole or not at all, and a repetition of it (a reply was lost) has no further
 * effect. Operations reject with a `ServiceError`: `state_unavailable` when the store cannot be reached or written
 * within its patience, `state_unreadable` for a record of a newer version, and the codes named at each.
 *
 * An address with an `owner` sees only that owner's record; any other's is not found. Without an owner the caller is
 * the service itself. Times are epoch milliseconds of the store's clock.
 */
export interface StateStore extends StateLife, RecordState, ClaimState, LeaseState, ResponseState {
  readonly turns: TurnState
  readonly messages: MessageState
  readonly memory: MemoryState
  readonly contexts: ContextState
  readonly entries: { read(address: RecordAddress): Promise<ReadonlyMap<string, JsonValue>> }
  readonly approvals: ApprovalState
  readonly events: EventState
  readonly openTasks: OpenTasks
  readonly openTurns: OpenTurns
  /** Items that outlive every session, by namespace: long-term memory and knowledge. They never expire. */
  items(namespace: string): ItemState
}

/** What of it sessions need; tasks and long-term memory need the rest. */
export type SessionStore = Omit<StateStore, 'entries' | 'openTasks' | 'items' | keyof ResponseState>

/** A store is closed by what opened it. */
export interface StateLife {
  readonly status: StateStatus
  /** Connects and finds out whether state may be written; resolves in either case. */
  open(): Promise<void>
  /** Ends all followers and connections. Leases that are held run out by themselves. */
  close(): Promise<void>
}

/** Whether state can be used, for `/api/status` and for refusals. */
export interface StateStatus {
  readonly kind: 'memory' | 'redis'
  /** Where, without secrets. */
  readonly location: string
  readonly writable: boolean
  /** Why not. */
  readonly reason?: string
  /** What may lose state although everything works, such as an eviction policy. */
  readonly warning?: string
}
