import { getHeapStatistics } from 'node:v8'
import { getOrCreate } from '../util/get-or-create.js'
import { canonicalJson } from '../util/json/canonical-json.js'
import type { JsonValue } from '../util/json/json.js'
import { lowerBound } from '../util/lower-bound.js'
import { type Clock, systemClock } from '../util/time/clock.js'
import type { ItemState } from './contract/item-state.js'
import type {
  BeginOutcome,
  BeginRequest,
  CancelOutcome,
  Commit,
  Lease,
  LeaseReply,
} from './contract/lease-state.js'
import type {
  ClaimedKey,
  ClaimRequest,
  CreateRequest,
  RecordAddress,
  RecordKind,
  RecordPage,
  RecordQuery,
  RecordView,
} from './contract/record-state.js'
import type { BegunRecord, BegunRequest, ChainLink } from './contract/response-state.js'
import { EventFeed } from './event-feed.js'
import type { LogPage } from './event-follower.js'
import {
  DEFAULT_MAX_IDLE,
  MAX_CONTEXTS,
  MAX_MEMORY_KEYS,
  MAX_RECORD_BYTES,
  RESPONSE_TTL_MS,
  TASK_CHECK_MS,
} from './limits.js'
import { formatListCursor, parseListCursor } from './list-cursor.js'
import { compareEventIds } from './logged-event.js'
import { MemoryClaims } from './memory-claims.js'
import { createMemoryItems } from './memory-items.js'
import { MemoryOpenWork } from './memory-open-work.js'
import { MemoryRecord } from './memory-record.js'
import { MemoryRecords } from './memory-records.js'
import { assertMemory, assertName, assertRecordId } from './record-name.js'
import { refused, unavailable } from './state-errors.js'
import type { StateStatus, StateStore } from './state-store.js'

export interface MemoryStateOptions {
  /** Default: this machine's. */
  readonly clock?: Clock
  /** How long a lease holds after each write. Default 10,000. */
  readonly leaseMs?: number
  /** How long a session stays after its last use, and a task after its end. Default seven days. */
  readonly ttlMs?: number
  /** How long a response stays after its end. Default 30 days. */
  readonly responseTtlMs?: number | undefined
  /** When a new task is first looked for by the sweep. Default 30,000. */
  readonly taskCheckMs?: number
  /** How many records without an open turn are kept; those used last. Default 10,000. */
  readonly maxIdle?: number
  /** What all records keep, about bytes; the idle ones that were used longest ago go. Default a quarter of the heap. */
  readonly maxBytes?: number
  /** What a record may keep before it takes no new turn. Default 64 MiB. */
  readonly maxRecordBytes?: number
  /** Why nothing may be kept here: then every operation fails with `state_unavailable`. */
  readonly refusal?: string | undefined
}

const DEFAULT_PART_OF_HEAP = 4
const DEFAULT_LEASE_MS = 10_000
const DEFAULT_TTL_MS = 7 * 24 * 3_600_000
/** Responses and conversations have room of their own: so much of what sessions and tasks have. */
const PART_OF_RESPONSES = 1 / 2
const SWEEP_EVERY_MS = 30_000
/** How many events a follower reads at once. */
const LOG_PAGE = 500

/** Opens state in this process's memory: it is lost when the process ends, and no other process sees it. */
export function createMemoryState(options: MemoryStateOptions = {}): StateStore {
  return new InProcessState(options)
}

class InProcessState implements StateStore {
  readonly status: StateStatus
  readonly #options: MemoryStateOptions &
    Required<Pick<MemoryStateOptions, 'leaseMs' | 'ttlMs' | 'maxRecordBytes' | 'taskCheckMs'>>
  readonly #clock: Clock
  readonly #records: MemoryRecords
  /** Responses and conversations. */
  readonly #answers: MemoryRecords
  readonly #claims = new MemoryClaims()
  readonly #open: MemoryOpenWork
  readonly #items = new Map<string, ItemState>()
  readonly #cancelListeners = new Set<Parameters<StateStore['onCancel']>[0]>()
  readonly #feed = new EventFeed({
    source: {
      read: async (address, from) => this.#readLog(address, from, LOG_PAGE),
      subscribe: async () => {},
      unsubscribe: () => {},
    },
    pollMs: 0,
  })
  #timer: NodeJS.Timeout | undefined

  constructor(options: MemoryStateOptions) {
    const { clock = systemClock, refusal, maxIdle = DEFAULT_MAX_IDLE } = options
    const { maxBytes = getHeapStatistics().heap_size_limit / DEFAULT_PART_OF_HEAP } = options
    const why = refusal === undefined ? {} : { reason: refusal }
    this.status = { kind: 'memory', location: 'memory', writable: refusal === undefined, ...why }
    const usual = { leaseMs: DEFAULT_LEASE_MS, ttlMs: DEFAULT_TTL_MS, taskCheckMs: TASK_CHECK_MS }
    this.#options = { ...usual, maxRecordBytes: MAX_RECORD_BYTES, ...options }
    this.#clock = clock
    this.#open = new MemoryOpenWork(clock)
    const onRemoved = (record: MemoryRecord) => {
      this.#open.removed(record)
      this.#feed.removed(record)
    }
    this.#records = new MemoryRecords({ maxIdle, maxBytes, onRemoved })
    this.#answers = new MemoryRecords({ maxIdle, maxBytes: maxBytes * PART_OF_RESPONSES, onRemoved })
  }

  async open(): Promise<void> {
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_EVERY_MS).unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#feed.close()
  }

  async create(request: CreateRequest): Promise<RecordView> {
    assertRecordId(request)
    const now = this.#clock.now()
    const { kind, id, owner, token, head, context, parent } = request
    const known = this.#lookup({ kind, id })
    if (known !== undefined) {
      if (known.token === token && known.owner === owner) return known.view(now)
      throw refused('exists', request)
    }
    const records = this.#recordsOf(kind)
    records.assertRoom()
    const record = new MemoryRecord({ kind, id, owner, token, createdAt: now, head, context, parent })
    if (request.input !== undefined) record.queue('main', request.input, now)
    if (kind === 'task') this.#open.expect(id, now + this.#options.taskCheckMs)
    this.#touch(record)
    records.evict()
    return record.view(now)
  }

  async createBegun(request: BegunRequest): Promise<BegunRecord> {
    await this.create(request)
    const grant = await this.begin({ address: request, by: request.by, purpose: 'resume' })
    if (grant.kind === 'repeated') throw new TypeError('a resumed turn has no idempotency key')
    return grant
  }

  async read(address: RecordAddress): Promise<RecordView> {
    return this.#find(address).view(this.#clock.now())
  }

  async update(address: RecordAddress, head: object): Promise<RecordView> {
    return this.#edit(address, (record) => {
      record.replaceHead(head)
    })
  }

  async list({ kind, owner, limit, cursor }: RecordQuery): Promise<RecordPage> {
    this.#assertUsable()
    const now = this.#clock.now()
    const all = this.#recordsOf(kind)
      .all()
      .filter((record) => record.kind === kind && record.owner === owner && !record.isExpired(now))
    const before = cursor === undefined ? Number.POSITIVE_INFINITY : Number(parseListCursor(cursor).score)
    const page = all
      .reverse()
      .filter(({ used }) => used < before)
      .slice(0, limit)
    const result = { records: page.map((record) => record.view(now)), total: all.length }
    const last = page.at(-1)
    if (last === undefined || page.length < limit) return result
    return { ...result, nextCursor: formatListCursor({ id: last.id, score: String(last.used) }) }
  }

  async remove(address: RecordAddress): Promise<void> {
    this.#recordsOf(address.kind).remove(this.#idle(address))
  }

  async claim(request: ClaimRequest): Promise<ClaimedKey> {
    this.#assertUsable()
    return this.#claims.claim(request, this.#clock.now())
  }

  async begin(request: BeginRequest): Promise<BeginOutcome> {
    const { address, by, purpose } = request
    if (request.context !== undefined) assertName('name of a context', request.context)
    const record = this.#find(address)
    const now = this.#clock.now()
    if (!record.heldBy(by)) {
      const { idempotency } = request
      const asksAgain = purpose === 'start' && idempotency !== undefined
      const repeated = asksAgain ? record.repeated(idempotency, now) : undefined
      if (repeated !== undefined) return { kind: 'repeated', turn: repeated }
      if (record.leased(now)) throw refused('busy', record, record.busyWith(now))
      if (purpose === 'start') this.#start(record, request, now)
      else this.#resume(record, request, now)
      this.#touch(record, now)
    }
    record.extend(now, this.#options.leaseMs)
    this.#open.opened(record)
    return record.granted(by, this.#options.leaseMs, now)
  }

  /** @throws ServiceError `turn_interrupted` for a record that is gone */
  #leased(lease: Lease): MemoryRecord {
    const record = this.#lookup(lease)
    if (record === undefined) throw refused('fenced', lease)
    return record
  }

  #start(
    record: MemoryRecord,
    { by, input = {}, context, maxTurns, idempotency }: BeginRequest,
    now: number,
  ) {
    const { open } = record
    if (open?.status === 'running') return record.take(by, 'interrupted', now, this.#options.leaseMs)
    if (open !== undefined) throw refused('busy', record, record.busyWith(now))
    const chosen = context ?? record.activeContext
    if (!record.contexts.has(chosen)) throw refused('no_context', record)
    if (maxTurns !== undefined && record.turns.length >= maxTurns) throw refused('limit', record)
    if (record.said >= this.#options.maxRecordBytes) throw refused('full', record)
    this.#recordsOf(record.kind).assertRoom()
    record.queue(chosen, input, now)
    if (idempotency !== undefined) {
      const claim = { turn: record.turns.length, at: now, bodyHash: idempotency.bodyHash }
      record.claim(idempotency.key, claim)
    }
    record.take(by, 'started', now, this.#options.leaseMs)
  }

  #resume(record: MemoryRecord, { by, turn }: BeginRequest, now: number): void {
    const { open } = record
    if (open === undefined || (turn !== undefined && turn !== record.turns.length))
      throw refused('ended', record)
    const kind = open.status === 'running' ? 'interrupted' : 'resumed'
    record.take(by, kind, now, this.#options.leaseMs)
  }

  async commit(lease: Lease, commit: Commit): Promise<LeaseReply> {
    const record = this.#leased(lease)
    const { cancelRequested } = record
    const now = this.#clock.now()
    const fresh = record.commit(lease, commit, now)
    if (record.open === undefined) this.#open.closed(record)
    this.#touch(record, now)
    if (fresh.length > 0) this.#feed.offer(record, fresh)
    this.#recordsOf(record.kind).evict()
    return { cancelRequested }
  }

  async renew(lease: Lease, n: number): Promise<LeaseReply> {
    const record = this.#leased(lease)
    record.assertHeld(lease, n)
    record.extend(this.#clock.now(), lease.leaseMs)
    return { cancelRequested: record.cancelRequested }
  }

  async cancel(address: RecordAddress, turn?: number): Promise<CancelOutcome> {
    const record = this.#find(address)
    const number = turn ?? record.turns.length
    const { status } = record.turnView(number)
    if (record.open === undefined || number !== record.turns.length)
      return { kind: 'ended', turn: number, status }
    record.cancelled = number
    if (record.status(this.#clock.now()) !== 'running') return { kind: 'unattended', turn: number, status }
    const told = { record: { kind: record.kind, id: record.id }, turn: number }
    for (const listener of this.#cancelListeners) listener(told)
    return { kind: 'requested', turn: number, status }
  }

  onCancel(listener: Parameters<StateStore['onCancel']>[0]): () => void {
    this.#cancelListeners.add(listener)
    return () => void this.#cancelListeners.delete(listener)
  }

  readonly turns: StateStore['turns'] = { read: async (address, turn) => this.#find(address).turnView(turn) }

  readonly messages: StateStore['messages'] = {
    read: async (address, { context, from = 0, limit } = {}) => {
      const record = this.#find(address)
      return record.messagePage(context ?? record.activeContext, from, limit)
    },
  }

  readonly memory: StateStore['memory'] = {
    read: async (address) => new Map(this.#find(address).memory),
    set: async (address, key, value, { whenIdle } = {}) => {
      assertMemory(key, value)
      const record = whenIdle === true ? this.#idle(address) : this.#find(address)
      const { memory } = record
      if (memory !== undefined && memory.size >= MAX_MEMORY_KEYS && !memory.has(key))
        throw refused('limit', record)
      record.remember(key, value)
      this.#touch(record)
      this.#records.evict()
    },
    delete: async (address, key) => {
      const record = this.#find(address)
      if (record.memory?.has(key) !== true) throw refused('no_memory', record)
      record.remember(key, undefined)
      this.#touch(record)
    },
    clear: async (address) => {
      const record = this.#find(address)
      for (const key of [...(record.memory?.keys() ?? [])]) record.remember(key, undefined)
      this.#touch(record)
    },
  }

  readonly contexts: StateStore['contexts'] = {
    create: async (address, context, info) => {
      assertName('name of a context', context)
      return this.#edit(address, (record) => {
        const known = record.contexts.get(context)
        if (known !== undefined && canonicalJson(known.info) !== canonicalJson(info))
          throw refused('exists', record)
        if (known !== undefined) return
        if (record.contexts.size >= MAX_CONTEXTS) throw refused('limit', record)
        record.contexts.set(context, { info, messages: [], base: 0 })
      })
    },
    update: async (address, context, info) =>
      this.#editContext(address, context, (record) => {
        const known = record.contexts.get(context)
        if (known !== undefined) known.info = info
      }),
    switch: async (address, context) =>
      this.#editContext(address, context, (record) => {
        record.activeContext = context
      }),
    destroy: async (address, context) =>
      this.#editContext(address, context, (record) => {
        if (record.activeContext === context) throw refused('active', record)
        record.contexts.delete(context)
      }),
  }

  readonly entries = {
    read: async (address: RecordAddress): Promise<ReadonlyMap<string, JsonValue>> =>
      new Map(this.#find(address).entries),
  }

  readonly approvals: StateStore['approvals'] = {
    list: async (address) => this.#find(address).approvalList(),
    decide: async (address, id, { status, decision }) => {
      assertName('id of an approval', id)
      const record = this.#find(address)
      const known = record.approvals?.get(id)
      if (known === undefined) throw refused('no_approval', record)
      const same = known.status === status && canonicalJson(known.decision ?? {}) === canonicalJson(decision)
      if (known.status !== 'pending' && !same) throw refused('decided', record, known.status)
      const approval = { id, status, data: known.data, decision }
      record.approvals?.set(id, approval)
      const pending = record.approvalList().filter((each) => each.status === 'pending').length
      return { approval, pending }
    },
  }

  readonly events: StateStore['events'] = {
    append: async (lease, batch) => {
      const record = this.#leased(lease)
      const fresh = record.append(lease, batch, this.#clock.now())
      if (fresh.length > 0) this.#feed.offer(record, fresh)
    },
    range: async (address, from, count) => {
      this.#find(address)
      const page = this.#readLog(address, from, count)
      return page?.events ?? []
    },
    follow: (address, options) => this.#feed.follow(address, options),
  }

  get openTasks(): StateStore['openTasks'] {
    return this.#open.openTasks
  }

  get openTurns(): StateStore['openTurns'] {
    return this.#open.openTurns
  }

  get openResponses(): StateStore['openResponses'] {
    return this.#open.openResponses
  }

  async chain(address: RecordAddress, limit: number): Promise<readonly ChainLink[]> {
    const links: ChainLink[] = []
    const { owner } = this.#find(address)
    for (let id: string | undefined = address.id; id !== undefined; ) {
      if (links.length >= limit) throw refused('limit', address)
      const record = this.#lookup({ kind: 'response', id })
      if (record === undefined || record.owner !== owner) throw refused('missing', address)
      const { status, input, result } = record.turnView(1)
      links.push({ id, status, input, result })
      this.#touch(record)
      id = record.parent
    }
    return links
  }

  items(namespace: string): ItemState {
    return getOrCreate(this.#items, namespace, createMemoryItems)
  }

  /** A record that is there and not another's. */
  #find(address: RecordAddress): MemoryRecord {
    assertRecordId(address)
    const record = this.#lookup(address)
    if (record === undefined) throw refused('missing', address)
    if (address.owner !== undefined && address.owner !== record.owner) throw refused('missing', address)
    return record
  }

  /** @throws ServiceError `state_unavailable` */
  #assertUsable(): void {
    const { refusal } = this.#options
    if (refusal !== undefined) throw unavailable(refusal)
  }

  #lookup(address: Pick<RecordAddress, 'kind' | 'id'>): MemoryRecord | undefined {
    this.#assertUsable()
    const records = this.#recordsOf(address.kind)
    const record = records.get(address)
    if (record === undefined || !record.isExpired(this.#clock.now())) return record
    records.remove(record)
    return undefined
  }

  #recordsOf(kind: RecordKind): MemoryRecords {
    return kind === 'response' || kind === 'conversation' ? this.#answers : this.#records
  }

  /** How long a record lives after its last use; undefined: until it is removed. */
  #ttlOf(kind: RecordKind): number | undefined {
    const { ttlMs, responseTtlMs = RESPONSE_TTL_MS } = this.#options
    if (kind === 'conversation') return undefined
    return kind === 'response' ? responseTtlMs : ttlMs
  }

  #idle(address: RecordAddress): MemoryRecord {
    const record = this.#find(address)
    if (record.open !== undefined) throw refused('busy', record, record.busyWith(this.#clock.now()))
    return record
  }

  #edit(address: RecordAddress, change: (record: MemoryRecord) => void): RecordView {
    const record = this.#idle(address)
    change(record)
    this.#touch(record)
    return record.view(this.#clock.now())
  }

  #editContext(address: RecordAddress, context: string, change: (record: MemoryRecord) => void): RecordView {
    return this.#edit(address, (record) => {
      if (!record.contexts.has(context)) throw refused('no_context', record)
      change(record)
    })
  }

  /** Used now: it moves to the end, and lives for another while. Open tasks do not expire. */
  #touch(record: MemoryRecord, now = this.#clock.now()): void {
    const ttlMs = record.kind === 'task' && record.open !== undefined ? undefined : this.#ttlOf(record.kind)
    record.expiresAt = ttlMs === undefined ? undefined : now + ttlMs
    this.#recordsOf(record.kind).use(record)
  }

  #sweep(): void {
    const now = this.#clock.now()
    this.#claims.forgetExpired(now)
    for (const records of [this.#records, this.#answers]) {
      for (const record of records.all()) {
        record.forgetEvents(now)
        records.recount(record)
        this.#lookup(record)
      }
    }
  }

  #readLog(address: RecordAddress, from: string, count: number): LogPage | undefined {
    const record = this.#lookup(address)
    if (record === undefined || (address.owner !== undefined && address.owner !== record.owner))
      return undefined
    record.forgetEvents(this.#clock.now())
    const start = lowerBound(record.events, ({ id }) => compareEventIds(id, from) >= 0)
    const events = record.events.slice(start, start + count)
    return { events, last: record.lastEvent, full: events.length === count }
  }
}
