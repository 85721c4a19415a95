import { keyed } from '../util/at.js'
import type { JsonObject, JsonValue } from '../util/json/json.js'
import { jsonObject } from '../util/json/json-fields.js'
import { sizeOfJson } from '../util/json/size-of-json.js'
import type { ApprovalView } from './contract/approval-state.js'
import type { MessagePage } from './contract/context-state.js'
import type { BeginRequest, Commit, Grant, Lease } from './contract/lease-state.js'
import type {
  ContextView,
  RecordAddress,
  RecordKind,
  RecordStatus,
  RecordView,
} from './contract/record-state.js'
import type { TurnStatus, TurnView } from './contract/turn-state.js'
import { CLAIM_TTL_MS, EVENT_TTL_MS, MAX_EVENTS } from './limits.js'
import { compareEventIds, type EventBatch, type EventId, eventId, type LoggedEvent } from './logged-event.js'
import { refused } from './state-errors.js'

/** What a record takes beside what is said, and so does a turn, an event and a name of its memory; about bytes. */
const RECORD_BYTES = 1_000
const TURN_BYTES = 500
const EVENT_BYTES = 100

interface StoredTurn {
  status: TurnStatus
  readonly context: string
  readonly input: JsonObject
  state?: JsonObject | undefined
  result?: JsonObject | undefined
  readonly startedAt: number
  endedAt?: number
  firstEvent?: EventId
  lastEvent?: EventId | undefined
}

interface StoredContext {
  info: JsonObject
  messages: JsonObject[]
  base: number
}

/** Which turn an idempotency key began. */
export interface StoredClaim {
  readonly turn: number
  readonly at: number
  readonly bodyHash: string
}

/** A record as it is made; head and context are plain data. */
type MadeRecord = Pick<MemoryRecord, 'kind' | 'id' | 'owner' | 'token' | 'createdAt' | 'parent'> & {
  readonly head: object
  /** What is known about the first context. */
  readonly context?: object | undefined
}

/**
 * One record in memory. What is empty is not made: ten thousand idle sessions are mostly what was said in them.
 * The checks are the same, in the same order, as in the scripts for Redis.
 */
export class MemoryRecord {
  /** Its own among all records. */
  readonly name: string
  readonly kind: RecordKind
  readonly id: string
  readonly owner: string
  readonly token: string
  readonly createdAt: number
  readonly parent: string | undefined
  head: JsonObject
  expiresAt: number | undefined
  activeContext = 'main'
  readonly contexts = new Map<string, StoredContext>()
  readonly turns: StoredTurn[] = []
  memory: Map<string, string> | undefined
  approvals: Map<string, ApprovalView> | undefined
  #claims: Map<string, StoredClaim> | undefined
  entries: Map<string, JsonValue> | undefined
  events: LoggedEvent[] = []
  eventsUntil = 0
  /** Larger for a record that was used later. */
  used = 0
  /** Its size when it was used last. */
  counted = 0
  lastEvent: EventId | '' = ''
  epoch = 0
  cancelled = 0
  #by = ''
  #grant: Grant['kind'] = 'started'
  #n = 0
  #seq = 0
  #leaseUntil = 0
  #takeovers = 0
  #idleMs = 0
  /** Of inputs, messages and results. */
  #said = 0
  /** Of everything else that can be large. */
  #beside = RECORD_BYTES

  constructor(made: MadeRecord) {
    this.name = recordName(made)
    this.kind = made.kind
    this.id = made.id
    this.owner = made.owner
    this.token = made.token
    this.createdAt = made.createdAt
    this.head = jsonObject(made.head)
    this.parent = made.parent
    this.contexts.set('main', { info: jsonObject(made.context ?? {}), messages: [], base: 0 })
    this.#beside += sizeOfJson(this.head)
  }

  /** About how many bytes of inputs, messages and results it keeps. */
  get said(): number {
    return this.#said
  }

  /** About how many bytes it keeps in all. */
  get size(): number {
    return this.#said + this.#beside
  }

  /** The turn that is not over. */
  get open(): StoredTurn | undefined {
    const last = this.turns.at(-1)
    return last !== undefined && isOpen(last.status) ? last : undefined
  }

  /** The open turn, where there is one: anybody who asks has looked. */
  #running(): StoredTurn {
    const { open } = this
    if (open === undefined) throw new Error('the record has no open turn')
    return open
  }

  status(now: number): RecordStatus {
    const status = this.open?.status
    if (status === undefined) return 'idle'
    if (status === 'running') return this.leased(now) ? 'running' : 'interrupted'
    return status === 'queued' ? 'queued' : 'paused'
  }

  leased(now: number): boolean {
    return this.#leaseUntil > now
  }

  /** Of an open turn: `paused`, or the milliseconds until its lease is over. */
  busyWith(now: number): string {
    if (this.open?.status === 'paused') return this.open.status
    return String(Math.max(this.#leaseUntil - now, 0))
  }

  heldBy(by: string): boolean {
    return this.open?.status === 'running' && this.#by === by
  }

  /** Adds a turn that nobody runs yet. */
  queue(context: string, given: object, now: number): void {
    const input = jsonObject(given)
    this.turns.push({ status: 'queued', context, input, startedAt: now })
    this.#said += TURN_BYTES + sizeOfJson(input)
  }

  take(by: string, grant: Grant['kind'], now: number, leaseMs: number): void {
    const turn = this.#running()
    this.#succeed(grant, now, leaseMs)
    this.epoch = Math.max(this.epoch + 1, Math.floor(now / 1_000))
    this.#by = by
    this.#grant = grant
    this.#n = 0
    this.#seq = 0
    turn.status = 'running'
    turn.firstEvent ??= eventId(this.epoch, 1)
  }

  /** A turn that a process gave back, or that waits for a person, does not count as a death. */
  #succeed(grant: Grant['kind'], now: number, leaseMs: number): void {
    if (grant === 'started') this.#takeovers = 0
    this.#idleMs = 0
    if (grant !== 'interrupted') return
    this.#idleMs = Math.max(now - this.#leaseUntil, 0)
    if (this.#by === '') return
    this.#takeovers += 1
    this.#idleMs += leaseMs
  }

  extend(now: number, leaseMs: number): void {
    this.#leaseUntil = now + leaseMs
  }

  granted(by: string, leaseMs: number, now: number): Grant {
    const turn = this.turns.length
    const stored = this.#running()
    const { base } = this.contexts.get(stored.context) ?? { base: 0 }
    return {
      kind: this.#grant,
      lease: { kind: this.kind, id: this.id, turn, epoch: this.epoch, by, leaseMs },
      at: now,
      takeovers: this.#takeovers,
      idleMs: this.#idleMs,
      record: this.view(now),
      turn: this.turnView(turn),
      messages: this.messagePage(stored.context, base),
      memory: new Map(this.memory),
      approvals: this.approvalList(),
      entries: new Map(this.entries),
    }
  }

  /** @throws ServiceError `turn_interrupted` */
  assertHeld({ epoch, by }: Lease, n: number): void {
    if (this.epoch !== epoch || !this.heldBy(by) || this.#n < n) throw refused('fenced', this)
  }

  get cancelRequested(): boolean {
    return this.cancelled > 0 && this.cancelled === this.turns.length
  }

  /** Does what a commit says, unless it had been done before. @returns its new events @throws ServiceError */
  commit(lease: Lease, commit: Commit, now: number): readonly LoggedEvent[] {
    if (this.epoch === lease.epoch && this.#n >= commit.n && (this.heldBy(lease.by) || endsLease(commit)))
      return []
    this.assertHeld(lease, commit.n - 1)
    if (endsRun(commit) && !this.leased(now)) throw refused('fenced', this)
    this.#assertInOrder(commit.events)
    for (const { context } of commit.messages ?? [])
      if (!this.contexts.has(context)) throw refused('no_context', this)
    this.#n = commit.n
    this.#write(commit)
    const fresh = commit.events === undefined ? [] : this.#log(commit.events, now)
    this.extend(now, lease.leaseMs)
    if (endsRun(commit)) this.#end(commit, now)
    else if (commit.release === true) this.#release(now)
    return fresh
  }

  /** @throws ServiceError `turn_interrupted` */
  append(lease: Lease, batch: EventBatch, now: number): readonly LoggedEvent[] {
    this.assertHeld(lease, 0)
    this.#assertInOrder(batch)
    return this.#log(batch, now)
  }

  view(now: number): RecordView {
    const { kind, id, owner, head, epoch, activeContext, cancelRequested, createdAt, expiresAt } = this
    const contexts = new Map<string, ContextView>()
    for (const [name, { info, messages, base }] of this.contexts)
      contexts.set(name, { info, messages: messages.length, base })
    return {
      kind,
      id,
      owner,
      head,
      status: this.status(now),
      leasedForMs: this.open?.status === 'running' ? Math.max(this.#leaseUntil - now, 0) : 0,
      turn: this.turns.length,
      epoch,
      activeContext,
      contexts,
      cancelRequested,
      createdAt,
      expiresAt,
    }
  }

  /** @throws ServiceError `turn_not_found` */
  turnView(turn: number): TurnView {
    const stored = this.turns[turn - 1]
    if (stored === undefined) throw refused('no_turn', this)
    const { status, context, input, state, result, startedAt, endedAt, firstEvent, lastEvent } = stored
    return { turn, status, context, input, state, result, startedAt, endedAt, firstEvent, lastEvent }
  }

  /** @throws ServiceError `context_not_found` */
  messagePage(context: string, from: number, limit = Number.POSITIVE_INFINITY): MessagePage {
    const messages = this.contexts.get(context)?.messages
    if (messages === undefined) throw refused('no_context', this)
    const start = Math.min(from, messages.length)
    return { from: start, messages: messages.slice(start, start + limit), total: messages.length }
  }

  /** Commits change only numbers of it. */
  replaceHead(given: object): void {
    const head = jsonObject(given)
    this.#beside += sizeOfJson(head) - sizeOfJson(this.head)
    this.head = head
  }

  /** Keeps a text under a name, or forgets it. */
  remember(key: string, value: string | undefined): void {
    const memory = this.memory ?? new Map<string, string>()
    this.#beside += sizeOfText(value) - sizeOfText(memory.get(key))
    if (value === undefined) memory.delete(key)
    else memory.set(key, value)
    this.memory = memory.size === 0 ? undefined : memory
  }

  /** Whether a turn should run that nobody runs. */
  isUnattended(now: number): boolean {
    const status = this.status(now)
    if (status === 'interrupted') return true
    return status === 'paused' && this.approvalList().every((each) => each.status !== 'pending')
  }

  /**
   * The turn that this idempotency key has begun, if one has.
   *
   * @throws ServiceError `idempotency_conflict` for another body
   */
  repeated(
    { key, bodyHash, formerHash }: NonNullable<BeginRequest['idempotency']>,
    now: number,
  ): number | undefined {
    const known = this.#claims?.get(key)
    if (known === undefined || now - known.at >= CLAIM_TTL_MS) return undefined
    if (known.bodyHash !== bodyHash && known.bodyHash !== formerHash) throw refused('conflict', this)
    return known.turn
  }

  isExpired(now: number): boolean {
    return this.expiresAt !== undefined && this.expiresAt <= now
  }

  /** Remembers an idempotency key, and forgets those whose time is over. */
  claim(key: string, claim: StoredClaim): void {
    const claims = this.#claims ?? new Map<string, StoredClaim>()
    for (const [known, { at }] of claims) {
      if (claim.at - at < CLAIM_TTL_MS) break
      claims.delete(known)
    }
    this.#claims = claims.set(key, claim)
  }

  approvalList(): readonly ApprovalView[] {
    if (this.approvals === undefined) return []
    return [...this.approvals.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** Forgets events whose time is over. */
  forgetEvents(now: number): void {
    if (this.events.length > 0 && this.eventsUntil <= now) this.#forgetFirst(this.events.length)
  }

  #forgetFirst(count: number): void {
    for (const { json } of this.events.splice(0, count)) this.#beside -= EVENT_BYTES + json.length
  }

  #assertInOrder(batch: EventBatch | undefined): void {
    if (batch !== undefined && batch.events.length > 0 && batch.first > this.#seq + 1)
      throw refused('fenced', this)
  }

  #write({ head, turn, messages = [], entries, approvals = [] }: Commit): void {
    const open = this.#running()
    if (head !== undefined) this.head = jsonObject(head)
    if (turn?.state !== undefined) open.state = jsonObject(turn.state)
    if (turn?.result !== undefined) {
      open.result = jsonObject(turn.result)
      this.#said += sizeOfJson(open.result)
    }
    for (const { context, keep, base, append = [] } of messages) {
      const stored = keyed(this.contexts, context)
      if (keep !== undefined) stored.messages.splice(keep)
      const added = append.map(jsonObject)
      stored.messages.push(...added)
      for (const message of added) this.#said += sizeOfJson(message)
      if (base !== undefined) stored.base = base
    }
    for (const [name, value] of entries ?? []) {
      this.#beside += sizeOfJson(value) - sizeOfJson(this.entries?.get(name))
      if (value === null) this.entries?.delete(name)
      else this.entries = (this.entries ?? new Map<string, JsonValue>()).set(name, value)
    }
    for (const approval of approvals)
      this.approvals = (this.approvals ?? new Map<string, ApprovalView>()).set(approval.id, approval)
  }

  #log({ first, events }: EventBatch, now: number): readonly LoggedEvent[] {
    const fresh: LoggedEvent[] = []
    for (const [index, { type, json }] of events.entries()) {
      const seq = first + index
      if (seq <= this.#seq) continue
      const id = eventId(this.epoch, seq)
      fresh.push(seq === 1 ? { id, type, json, previous: this.lastEvent } : { id, type, json })
      this.#beside += EVENT_BYTES + json.length
    }
    const last = fresh.at(-1)
    if (last === undefined) return fresh
    this.#seq += fresh.length
    this.lastEvent = last.id
    this.forgetEvents(now)
    this.events.push(...fresh)
    // Cut rarely: a cut moves all that stay.
    if (this.events.length > MAX_EVENTS + MAX_EVENTS / 10) this.#forgetFirst(this.events.length - MAX_EVENTS)
    this.eventsUntil = now + EVENT_TTL_MS[this.kind]
    return fresh
  }

  #release(now: number): void {
    this.#by = ''
    this.#leaseUntil = now
  }

  #end({ turn }: Commit, now: number): void {
    const open = this.#running()
    open.status = turn?.status ?? open.status
    this.#by = ''
    this.#leaseUntil = 0
    if (open.status === 'paused') return
    this.cancelled = 0
    open.state = turn?.state && jsonObject(turn.state)
    open.endedAt = now
    if (this.lastEvent !== '' && compareEventIds(this.lastEvent, open.firstEvent ?? '') >= 0)
      open.lastEvent = this.lastEvent
  }
}

/** By what a record is found in memory. */
export function recordName({ kind, id }: Pick<RecordAddress, 'kind' | 'id'>): string {
  return `${kind} ${id}`
}

function sizeOfText(text: string | undefined): number {
  return text === undefined ? 0 : EVENT_BYTES + text.length
}

/** True for a turn that is not over. */
function isOpen(status: TurnStatus): boolean {
  return status === 'queued' || status === 'running' || status === 'paused'
}

function endsLease(commit: Commit): boolean {
  return commit.release === true || endsRun(commit)
}

function endsRun({ turn }: Commit): boolean {
  return turn?.status !== undefined && turn.status !== 'running'
}
