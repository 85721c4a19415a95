import type { JsonObject } from '../../util/json/json.js'

/** Sessions and tasks as records. */
export interface RecordState {
  /** Makes a record. @throws ServiceError `already_exists` unless the same `token` made it */
  create(request: CreateRequest): Promise<RecordView>
  /** @throws ServiceError `session_not_found`, `task_not_found` */
  read(address: RecordAddress): Promise<RecordView>
  /** Replaces the head of a record without an open turn. @throws ServiceError `session_busy`, `task_busy` */
  update(address: RecordAddress, head: object): Promise<RecordView>
  /** The owner's records, those used last first. */
  list(query: RecordQuery): Promise<RecordPage>
  /** Deletes a record without an open turn and notifies its followers. @throws ServiceError `session_busy`, `task_busy` */
  remove(address: RecordAddress): Promise<void>
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

/**
 * `response`: an answer that is kept, with one turn and the response before it. `conversation`: the items of a line of
 * responses, which no time limit ends; its turn is the response that adds to it.
 */
export type RecordKind = 'session' | 'task' | 'response' | 'conversation'

/** Which record, and whose. */
export interface RecordAddress {
  readonly kind: RecordKind
  /** `[A-Za-z0-9._-]{1,100}`; of a session that is stored under a name of its owner's, see `shownId` */
  readonly id: string
  readonly owner?: string | undefined
}

/** `interrupted`: a turn is open, and the lease of anybody who ran it is over. */
export type RecordStatus = 'idle' | 'queued' | 'running' | 'paused' | 'interrupted'

/** A record as it is now. */
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

/** One context of a session. */
export interface ContextView {
  readonly info: JsonObject
  /** How many messages it has ever got; the index of the next. */
  readonly messages: number
  /** The first message that `begin` returns. */
  readonly base: number
}

/** A record to make. */
export interface CreateRequest {
  readonly kind: RecordKind
  readonly id: string
  readonly owner: string
  /** Equal in every repetition of one creation. */
  readonly token: string
  readonly head: object
  /** What is known about the first context, `main`. Default `{}`. */
  readonly context?: object
  /** Queues turn 1 with this input. A task and a response always have one. */
  readonly input?: object
  /** Of a response: the one before it, whose id begins with the same {@link ROOT_DIGITS} digits. */
  readonly parent?: string | undefined
}

/** Which records of whom. */
export interface RecordQuery {
  readonly kind: RecordKind
  readonly owner: string
  /** 1 to 1,000. */
  readonly limit: number
  /** From the page before. */
  readonly cursor?: string | undefined
}

/** Some records, those used last first. */
export interface RecordPage {
  readonly records: readonly RecordView[]
  readonly total: number
  readonly nextCursor?: string
}

/** An idempotency key, and what it would be the key of. */
export interface ClaimRequest {
  readonly owner: string
  readonly route: string
  readonly key: string
  /** The resource to be made if the key is new. */
  readonly id: string
  readonly bodyHash: string
}

/** What a key belongs to. */
export interface ClaimedKey {
  /** The resource that the key belongs to. */
  readonly id: string
  readonly fresh: boolean
}
