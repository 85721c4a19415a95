import type { JsonObject, JsonValue } from '../util/json/json.js'
import type { EventBatch, EventId, FollowedItem, LoggedEvent } from './logged-event.js'
import type { TurnStatus } from './turn-status.js'

/**
 * What outlives a process: sessions and tasks, both as *records*. A record has an owner, an opaque head, numbered
 * turns of which at most one is open, messages in named contexts, a small memory, approvals, entries and a log of
 * events. Anybody who works on the open turn holds a *lease*; only the newest lease writes.
 *
 * A session has many turns. A task has exactly one, queued when the task is created; its checkpoint is the turn's
 * state, its steps are entries.
 *
 * Values typed as JSON are stored as given and never looked into: hand over a value and leave it unchanged.
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

/** Sessions and tasks as records. */
export interface RecordState {
  /** Makes a record. @throws ServiceError `already_exists` unless the same `token` made it */
  create(request: CreateRequest): Promise<RecordView>
  /** @throws ServiceError `session_not_found`, `task_not_found` */
  read(address: RecordAddress): Promise<RecordView>
  /** Replaces the head of a record without an open turn. @throws ServiceError `session_busy`, `task_busy` */
  update(address: RecordAddress, head: JsonObject): Promise<RecordView>
  /** The owner's records, those used last first. */
  list(query: RecordQuery): Promise<RecordPage>
  /** Deletes a record without an open turn and notifies its followers. @throws ServiceError `session_busy`, `task_busy` */
  remove(address: RecordAddress): Promise<void>
}

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

/** What idempotency keys belong to. */
export interface ClaimState {
  /**
   * Says which resource an `Idempotency-Key` belongs to, for 24 hours: the first caller's.
   *
   * @throws ServiceError `idempotency_conflict` when the key was used with another body
   */
  claim(request: ClaimRequest): Promise<ClaimedKey>
}

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

/**
 * `response`: an answer that is kept, with one turn and the response before it. `conversation`: the items of a line of
 * responses, which no time limit ends; its turn is the response that adds to it.
 */
export type RecordKind = 'session' | 'task' | 'response' | 'conversation'

export interface RecordAddress {
  readonly kind: RecordKind
  /** `[A-Za-z0-9._-]{1,100}`; of a session that is stored under a name of its owner's, see `shownId` */
  readonly id: string
  readonly owner?: string | undefined
}

export type { TurnStatus }

/** `interrupted`: a turn is open, and the lease of anybody who ran it is over. */
export type RecordStatus = 'idle' | 'queued' | 'running' | 'paused' | 'interrupted'

export interface RecordView {
  readonly kind: RecordKind
  readonly id: string
  readonly owner: string
  readonly head: JsonObject
  readonly status: RecordStatus
  /** How long the lease of the open turn holds, in milliseconds; 0 where nobody has it. */
  readonly leasedForMs: number
  /** Number of the last turn, 0 before the first. */
  readonly turn: number
  readonly epoch: number
  readonly activeContext: string
  readonly contexts: ReadonlyMap<string, ContextView>
  readonly cancelRequested: boolean
  readonly createdAt: number
  /** Undefined while it does not expire: tasks before their end. */
  readonly expiresAt: number | undefined
}

export interface ContextView {
  readonly info: JsonObject
  /** How many messages it has ever got; the index of the next. */
  readonly messages: number
  /** The first message that `begin` returns. */
  readonly base: number
}

/** One response of a chain. */
export interface ChainLink {
  readonly id: string
  readonly status: TurnStatus
  readonly input: JsonObject
  readonly result: JsonObject | undefined
}

export interface CreateRequest {
  readonly kind: RecordKind
  readonly id: string
  readonly owner: string
  /** Equal in every repetition of one creation. */
  readonly token: string
  readonly head: JsonObject
  /** What is known about the first context, `main`. Default `{}`. */
  readonly context?: JsonObject
  /** Queues turn 1 with this input. A task and a response always have one. */
  readonly input?: JsonObject
  /** Of a response: the one before it, whose id begins with the same {@link ROOT_DIGITS} digits. */
  readonly parent?: string | undefined
}

/** A record whose turn 1 begins as it is made. */
export interface BegunRequest extends CreateRequest {
  readonly input: JsonObject
  /** A random name of this attempt, up to 100 characters. */
  readonly by: string
}

/** A record that was just made, and the lease of its turn. */
export type BegunRecord = Pick<Grant, 'lease' | 'record'>

export interface RecordQuery {
  readonly kind: RecordKind
  readonly owner: string
  /** 1 to 1,000. */
  readonly limit: number
  /** From the page before. */
  readonly cursor?: string | undefined
}

export interface RecordPage {
  readonly records: readonly RecordView[]
  readonly total: number
  readonly nextCursor?: string
}

export interface ClaimRequest {
  readonly owner: string
  readonly route: string
  readonly key: string
  /** The resource to be made if the key is new. */
  readonly id: string
  readonly bodyHash: string
}

export interface ClaimedKey {
  /** The resource that the key belongs to. */
  readonly id: string
  readonly fresh: boolean
}

export interface BeginRequest {
  readonly address: RecordAddress
  /** A random name of this attempt, up to 100 characters. */
  readonly by: string
  /** `start` a new turn (sessions), or `resume` the open one. */
  readonly purpose: 'start' | 'resume'
  /** For `start`: what the turn is about. */
  readonly input?: JsonObject
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

/** Everything is optional but `n`; what is left out stays as it is. */
export interface Commit {
  /** 1, 2, 3 …: one more than the commit before it in this lease. */
  readonly n: number
  readonly head?: JsonObject
  /** Gives the lease back and leaves the turn as it is: anybody who begins next takes it over at once. */
  readonly release?: true
  readonly turn?: {
    readonly status?: Exclude<TurnStatus, 'queued'>
    /** Forgotten at the turn's end unless given with it. */
    readonly state?: JsonObject
    readonly result?: JsonObject
  }
  readonly messages?: readonly MessageChange[]
  /** Values by name; null deletes. */
  readonly entries?: ReadonlyMap<string, JsonValue>
  /** Put as they are, over what was there. */
  readonly approvals?: readonly ApprovalView[]
  /** Of consecutive ids; `first` is one more than the last event of this lease. */
  readonly events?: EventBatch
}

export interface MessageChange {
  readonly context: string
  /** Messages from this index on are dropped before any is appended. */
  readonly keep?: number
  readonly append?: readonly JsonObject[]
  /** `begin` returns messages from this index on: older ones are summarised, but stay. */
  readonly base?: number
}

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

export interface TurnState {
  /** @throws ServiceError `turn_not_found` */
  read(address: RecordAddress, turn: number): Promise<TurnView>
}

export interface MessagePage {
  /** Index of the first one. */
  readonly from: number
  readonly messages: readonly JsonObject[]
  /** How many the context has. */
  readonly total: number
}

export interface MessageState {
  /** @throws ServiceError `context_not_found` */
  read(address: RecordAddress, range?: MessageRange): Promise<MessagePage>
}

export interface MessageRange {
  /** Default: the active one. */
  readonly context?: string | undefined
  /** Index of the first message; default 0. */
  readonly from?: number | undefined
  /** Default: all. */
  readonly limit?: number | undefined
}

/** Texts of a session, shared by its contexts. May be used while a turn runs. */
export interface MemoryState {
  read(address: RecordAddress): Promise<ReadonlyMap<string, string>>
  /**
   * Key up to 256 characters, value up to 32 KiB of UTF-8, 1,000 keys. With `whenIdle` only without an open turn.
   *
   * @throws ServiceError `invalid_request`, `limit_exceeded`, `session_busy`
   */
  set(
    address: RecordAddress,
    key: string,
    value: string,
    options?: { readonly whenIdle?: boolean },
  ): Promise<void>
  /** @throws ServiceError `memory_not_found` */
  delete(address: RecordAddress, key: string): Promise<void>
  clear(address: RecordAddress): Promise<void>
}

/** Each needs a session without an open turn. @throws ServiceError `session_busy`, `context_not_found` */
export interface ContextState {
  /** At most 100. @throws ServiceError `already_exists` unless it is the same, `limit_exceeded` */
  create(address: RecordAddress, context: string, info: JsonObject): Promise<RecordView>
  update(address: RecordAddress, context: string, info: JsonObject): Promise<RecordView>
  switch(address: RecordAddress, context: string): Promise<RecordView>
  /** With its messages. @throws ServiceError `invalid_request` for the active one */
  destroy(address: RecordAddress, context: string): Promise<RecordView>
}

/** The status of an approval. */
export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'cancelled'] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

export interface ApprovalView {
  /** `[A-Za-z0-9._-]{1,128}` */
  readonly id: string
  readonly status: ApprovalStatus
  readonly data: JsonObject
  /** What was decided beside the status: edited arguments, a reason. */
  readonly decision?: JsonObject
}

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

export interface ApprovalDecision {
  readonly status: 'approved' | 'rejected'
  readonly decision: JsonObject
}

export interface EventState {
  /**
   * Adds events that belong to no commit. One append at a time: the next waits for this one. Ids that are there
   * already count as stored.
   *
   * @throws ServiceError `turn_interrupted`, as `commit`
   */
  append(lease: Lease, batch: EventBatch): Promise<void>
  /** Up to `count` events from `from` on, inclusive. */
  range(address: RecordAddress, from: EventId, count: number): Promise<readonly LoggedEvent[]>
  /**
   * Events as they happen, on any replica: each once, in order, from `from` (inclusive) or after `after`, until the
   * signal aborts. Every other end is an error: a closed store's, or after a `gap` the `session_not_found` or
   * `task_not_found` of a record that is gone. A reader that is slow is served from the log, not from memory.
   */
  follow(address: RecordAddress, options: EventFollowOptions): AsyncIterable<FollowedItem>
}

export interface EventFollowOptions {
  /** One of the two; neither: only what comes from now on. */
  readonly from?: EventId | undefined
  readonly after?: EventId | undefined
  readonly signal: AbortSignal
}

/** Which tasks are not over, for the sweep that finds lost ones. */
export interface OpenTasks {
  /**
   * Ids of tasks whose next check is due, at most `limit`; their next check is `againMs` later, so that of several
   * sweeping processes one gets each. Tasks that are over or gone are left out and forgotten.
   */
  due(limit: number, againMs: number): Promise<readonly string[]>
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

export interface StoredItem {
  readonly id: string
  readonly value: JsonObject
}

export interface ItemState {
  get(id: string): Promise<JsonObject | undefined>
  put(id: string, value: JsonObject): Promise<void>
  /** False when there was none. */
  delete(id: string): Promise<boolean>
  /** All items in pages of some hundred, in no order; one that changes meanwhile may be missing or come twice. */
  pages(): AsyncIterable<readonly StoredItem[]>
}
