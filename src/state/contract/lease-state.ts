import type { JsonValue } from '../../util/json/json.js'
import type { EventBatch } from '../logged-event.js'
import type { ApprovalView } from './approval-state.js'
import type { MessagePage } from './context-state.js'
import type { RecordAddress, RecordKind, RecordView } from './record-state.js'
import type { TurnStatus, TurnView } from './turn-state.js'

/** Turns and their leases: who works on a record, and what that one writes. */
export interface LeaseState {
  /**
   * Takes the lease of a record and starts, resumes or takes over its turn; everything the turn needs comes with it.
   * The same `by` gets the same lease again as long as nobody else had it.
   *
   * @throws ServiceError `session_busy` or `task_busy` (with `Retry-After`) while another holds the lease or the turn
   * waits for approvals; `idempotency_conflict`; `limit_exceeded` at `maxTurns` and for a record that is full; `context_not_found`; for `resume` without an
   * open turn `turn_not_found`, of a task `task_ended`
   */
  begin(request: BeginRequest): Promise<BeginOutcome>
  /**
   * Writes what a turn has done, and renews its lease. A `status` other than `running` gives the lease back in the
   * same step, so that its events are visible only when the record is free again.
   *
   * @throws ServiceError `turn_interrupted` when the lease is no longer the newest, or what it wrote before was lost
   * in a failover, or a `status` that ends the lease comes after the lease's time: the caller stops and writes nothing
   * more; `context_not_found`
   */
  commit(lease: Lease, commit: Commit): Promise<LeaseReply>
  /** Keeps the lease for another lease time; `n` is the last commit that was confirmed. @throws as `commit` */
  renew(lease: Lease, n: number): Promise<LeaseReply>
  /**
   * Asks for the end of a turn, the open one by default. Needs no lease.
   *
   * @throws ServiceError `turn_not_found` for a turn that was never begun
   */
  cancel(address: RecordAddress, turn?: number): Promise<CancelOutcome>
  /** Calls back for every cancel that any process asked for; returns the function that ends this. May miss one: `renew` and `commit` report it, too. */
  onCancel(
    listener: (cancelled: { readonly record: RecordAddress; readonly turn: number }) => void,
  ): () => void
}

/** Who wants to work on which turn. */
export interface BeginRequest {
  readonly address: RecordAddress
  /** A random name of this attempt, up to 100 characters. */
  readonly by: string
  /** `start` a new turn (sessions), or `resume` the open one. */
  readonly purpose: 'start' | 'resume'
  /** For `start`: what the turn is about. */
  readonly input?: object
  /** For `start`: default is the active context. */
  readonly context?: string | undefined
  /** For `start`: refused when the turn's number would be larger. */
  readonly maxTurns?: number | undefined
  /** For `start`: the same key with the same body is the same turn, for 24 hours. */
  readonly idempotency?: TurnKey | undefined
  /** For `resume`: only this turn. */
  readonly turn?: number | undefined
}

/** An idempotency key of a turn, and the digest of its body. */
export interface TurnKey {
  readonly key: string
  readonly bodyHash: string
  /** The hash as the release before this one made it; keys that it stored count, too. */
  readonly formerHash?: string | undefined
}

/** The right to write; plain data. */
export interface Lease {
  readonly kind: RecordKind
  readonly id: string
  readonly turn: number
  /** The newest of the record: larger than any before it, at least the store's time in seconds. */
  readonly epoch: number
  readonly by: string
  /** How long the lease holds after each write or renewal, in milliseconds. */
  readonly leaseMs: number
}

/**
 * `started`: a new turn. `resumed`: it was queued or paused. `interrupted`: anybody who ran it is gone; the caller settles
 * what is open. For `start` that is the old turn, not the new one: end it, then begin again.
 */
export interface Grant {
  readonly kind: 'started' | 'resumed' | 'interrupted'
  readonly lease: Lease
  /** The store's time, in epoch milliseconds. */
  readonly at: number
  /** How many processes died while they had the turn. One that gave it back is not counted. */
  readonly takeovers: number
  /** Of `interrupted`: about how long nobody worked on the turn, in milliseconds. */
  readonly idleMs: number
  readonly record: RecordView
  readonly turn: TurnView
  /** Of the turn's context, from its base on. */
  readonly messages: MessagePage
  readonly memory: ReadonlyMap<string, string>
  readonly approvals: readonly ApprovalView[]
  readonly entries: ReadonlyMap<string, JsonValue>
}

/** `repeated`: this attempt, or one with the same idempotency key, began this turn before; nothing was begun. */
export type BeginOutcome = Grant | { readonly kind: 'repeated'; readonly turn: number }

/** Everything is optional but `n`; what is left out stays as it is. */
export interface Commit {
  /** 1, 2, 3 …: one more than the commit before it in this lease. */
  readonly n: number
  readonly head?: object
  /** Gives the lease back and leaves the turn as it is: anybody who begins next takes it over at once. */
  readonly release?: true
  readonly turn?: {
    readonly status?: Exclude<TurnStatus, 'queued'>
    /** Forgotten at the turn's end unless given with it. */
    readonly state?: object
    readonly result?: object
  }
  readonly messages?: readonly MessageChange[]
  /** Values by name; null deletes. */
  readonly entries?: ReadonlyMap<string, JsonValue>
  /** Put as they are, over what was there. */
  readonly approvals?: readonly ApprovalView[]
  /** Of consecutive ids; `first` is one more than the last event of this lease. */
  readonly events?: EventBatch
}

/** What becomes of the messages of one context. */
export interface MessageChange {
  readonly context: string
  /** Messages from this index on are dropped before any is appended. */
  readonly keep?: number
  readonly append?: readonly object[]
  /** `begin` returns messages from this index on: older ones are summarised, but stay. */
  readonly base?: number
}

/** What a store says to the holder of a lease. */
export interface LeaseReply {
  /** Somebody asked for the end of the turn. */
  readonly cancelRequested: boolean
}

/**
 * `ended`: it was over already. `requested`: the process that runs it has been notified. `unattended`: no process runs
 * it (queued, paused, interrupted); the caller starts with `resume` and ends it.
 */
export interface CancelOutcome {
  readonly kind: 'ended' | 'requested' | 'unattended'
  readonly turn: number
  readonly status: TurnStatus
}
