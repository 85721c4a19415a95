import { parseRedisUrl } from '../redis/redis-url.js'
import { knownWord } from '../util/at.js'
import { canonicalJson } from '../util/json/canonical-json.js'
import { type JsonValue, stringifyJson } from '../util/json/json.js'
import type { Logger } from '../util/telemetry/logger.js'
import { systemClock } from '../util/time/clock.js'
import { waitAtMost } from '../util/time/time-limits.js'
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
import type { LogPage } from './event-follower.js'
import {
  CLAIM_TTL_MS,
  LISTED_FOREVER_MS,
  MAX_CONTEXTS,
  MAX_MEMORY_KEYS,
  MAX_RECORD_BYTES,
  RESPONSE_TTL_MS,
  STATE_VERSION,
} from './limits.js'
import type { MemoryStateOptions } from './memory-state.js'
import { assertMemory, assertName, assertRecordId } from './record-name.js'
import { RedisConnection, type ScriptReply } from './redis-connection.js'
import { RedisHealth } from './redis-health.js'
import { createRedisItems } from './redis-items.js'
import { type FoundRecord, RedisLists } from './redis-lists.js'
import { RedisNews } from './redis-news.js'
import {
  toApprovals,
  toChainLinks,
  toEntries,
  toHead,
  toLoggedEvents,
  toMap,
  toMessagePage,
  toObject,
  toRecordView,
  toTurnStatus,
  toTurnView,
} from './redis-replies.js'
import type { ScriptName } from './redis-scripts.js'
import { RedisOpenTurns } from './redis-turns.js'
import { addBegin, addEvents, commitCall, leaseCall, ScriptCall } from './script-call.js'
import { readRefusal, refused } from './state-errors.js'
import { createStateKeys, ROOT_DIGITS, type StateKeys } from './state-keys.js'
import type { StateStatus, StateStore } from './state-store.js'

export interface RedisStateOptions
  extends Required<Pick<MemoryStateOptions, 'leaseMs' | 'ttlMs'>>,
    Pick<MemoryStateOptions, 'responseTtlMs' | 'taskCheckMs' | 'maxRecordBytes'> {
  /** See `parseRedisUrl` for its forms. */
  readonly url: string
  /** The first part of every key is this and `-state`. Default `shenma`. */
  readonly keyPrefix?: string
  readonly logger: Logger
  /** How often followed logs are compared with what was published. Default 2,000. */
  readonly pollMs?: number
}

/** What scripts answer. */
const GRANTS = ['started', 'resumed', 'interrupted'] as const
const CANCELS = ['ended', 'requested', 'unattended'] as const
/** How many events a follower reads at once. */
const LOG_PAGE = 500
/** How long a close waits for lists. */
const LAST_WRITES_MS = 500

/**
 * Opens state in Redis: one server from version 6 on, a master behind sentinels, or a cluster. Its connections are its
 * own; the catalog's only read.
 *
 * @throws RedisUrlError
 */
export function createRedisState(options: RedisStateOptions): StateStore {
  return new RedisState(options)
}

class RedisState implements StateStore {
  readonly #options: RedisStateOptions
  readonly #keys: StateKeys
  readonly #connection: RedisConnection
  readonly #lists: RedisLists
  readonly #turns: RedisOpenTurns
  readonly #news: RedisNews
  readonly #health: RedisHealth

  constructor(options: RedisStateOptions) {
    this.#options = options
    const target = parseRedisUrl(options.url)
    this.#keys = createStateKeys(options.keyPrefix ?? 'shenma')
    this.#connection = new RedisConnection(target, ({ message }) => this.#health.refused(message))
    const [connection, keys] = [this.#connection, this.#keys]
    this.#health = new RedisHealth({ connection, key: keys.probe, location: target.location })
    this.#lists = new RedisLists({
      connection,
      keys,
      ttlOf: (kind) => this.#ttlOf(kind) || LISTED_FOREVER_MS,
      taskCheckMs: options.taskCheckMs,
      find: (address) => this.#find(address),
      onFailure: (err) => options.logger.warn({ err }, 'an index of state was not updated'),
    })
    this.#turns = new RedisOpenTurns({
      connection,
      keys,
      leaseMs: options.leaseMs,
      clock: systemClock,
      ttlOf: (kind) => this.#ttlOf(kind),
      find: (address) => this.#find(address),
      isDecided: async (address) => {
        const approvals = await this.approvals.list(address)
        return approvals.every(({ status }) => status !== 'pending')
      },
      onFailure: (err) => options.logger.warn({ err }, 'the index of open turns was not updated'),
    })
    this.#news = new RedisNews({
      connection,
      keys,
      pollMs: options.pollMs,
      read: (address, from) => this.#readLog(address, from, LOG_PAGE),
    })
  }

  get status(): StateStatus {
    return this.#health.status
  }

  async open(): Promise<void> {
    await this.#connection.open()
    await Promise.all([this.#health.probe(), this.#news.open()])
  }

  async close(): Promise<void> {
    this.#health.close()
    this.#news.close()
    const listed = Promise.all([this.#lists.flush(), this.#turns.flush()]).then(() => {})
    if (this.#connection.connected) await waitAtMost(LAST_WRITES_MS, listed)
    this.#connection.close()
  }

  async create(request: CreateRequest): Promise<RecordView> {
    assertRecordId(request)
    await this.#lists.announce(request)
    const call = this.#newRecord(request)
    // Sent together: what is listed and is not there is listed no more.
    const [view] = await Promise.all([this.#view('create', request, call), this.#lists.add(request)])
    return view
  }

  async createBegun(request: BegunRequest): Promise<BegunRecord> {
    const { kind, id, by } = request
    const { leaseMs } = this.#options
    const call = this.#newRecord(request).set('by', by).set('lease', leaseMs)
    const named = this.#turns.name({ address: request, by }, call)
    const reply = await this.#run('createBegun', request, call, this.#turns.keyOf(request))
    if (named !== undefined) await named
    assertOk(reply, request)
    const record = toRecordView(request, toHead(reply))
    this.#lists.made(record)
    return { record, lease: { kind, id, turn: 1, epoch: record.epoch, by, leaseMs } }
  }

  #newRecord(request: CreateRequest): ScriptCall {
    const call = this.#callOf(request).set('token', request.token).set('parent', request.parent)
    call.text('head', stringifyJson(request.head)).text('context', stringifyJson(request.context ?? {}))
    return call.text('input', request.input && stringifyJson(request.input))
  }

  read(address: RecordAddress): Promise<RecordView> {
    return this.#view('read', address, this.#callOf(address))
  }

  update(address: RecordAddress, head: object): Promise<RecordView> {
    return this.#edit(address, 'head', (call) => call.text('head', stringifyJson(head)))
  }

  list(query: RecordQuery): Promise<RecordPage> {
    return this.#lists.page(query)
  }

  async remove(address: RecordAddress): Promise<void> {
    const record = await this.read(address)
    const reply = await this.#run('edit', address, this.#callOf(address).set('change', 'remove'))
    // Gone meanwhile: by this call, whose reply was lost, or by another.
    if (reply[0] !== 'missing') assertOk(reply, address)
    await this.#lists.remove(record)
  }

  async claim({ owner, route, key, id, bodyHash }: ClaimRequest): Promise<ClaimedKey> {
    const value = stringifyJson({ id, bodyHash })
    const call = new ScriptCall().text('value', value).set('ttl', CLAIM_TTL_MS)
    const reply = await this.#connection.run('claim', [this.#keys.claim(owner, route, key)], call)
    if (reply[0] === 'fresh' || reply[1] === value) return { id, fresh: true }
    const known = toObject(reply[1])
    if (known['bodyHash'] !== bodyHash)
      throw refused('conflict', { kind: 'session', id: String(known['id']) })
    return { id: String(known['id']), fresh: false }
  }

  async begin(request: BeginRequest): Promise<BeginOutcome> {
    const { address, context } = request
    if (context !== undefined) assertName('name of a context', context)
    const { leaseMs, maxRecordBytes = MAX_RECORD_BYTES } = this.#options
    const call = addBegin(this.#callOf(address), request, { leaseMs, maxRecordBytes })
    const named = this.#turns.name(request, call)
    const reply = await this.#run('begin', address, call, this.#turns.keyOf(address))
    if (named !== undefined) await named
    if (named !== undefined && reply[0] !== 'ok') this.#turns.withdrawn(request)
    if (reply[0] === 'repeated') return { kind: 'repeated', turn: Number(reply[1]) }
    assertOk(reply, address)
    return this.#granted(request, reply)
  }

  async #granted({ address, by }: BeginRequest, reply: ScriptReply): Promise<BeginOutcome> {
    const [, , , , , turn, messages, memory, approvals, entries] = reply
    const found = toHead(reply)
    const { head, now } = found
    const record = toRecordView(address, found)
    const view = toTurnView(turn)
    this.#lists.touch(record)
    return {
      kind: knownWord(GRANTS, head.get('grant')),
      at: now,
      takeovers: Number(head.get('taken') ?? 0),
      idleMs: Number(head.get('idle') ?? 0),
      lease: {
        kind: address.kind,
        id: address.id,
        turn: view.turn,
        epoch: record.epoch,
        by,
        leaseMs: this.#options.leaseMs,
      },
      record,
      turn: view,
      messages: await toMessagePage(messages),
      memory: toMap(memory),
      approvals: toApprovals(approvals),
      entries: toEntries(entries),
    }
  }

  async commit(lease: Lease, commit: Commit): Promise<LeaseReply> {
    const status = commit.turn?.status
    const ends = status !== undefined && status !== 'running' && status !== 'paused'
    const ttlMs = lease.kind !== 'task' || ends ? this.#ttlOf(lease.kind) : 0
    const call = commitCall(lease, commit, ttlMs)
    const reply = await this.#run('commit', lease, call)
    if (ends && lease.kind === 'task') this.#lists.ended(lease.id)
    if (reply[0] === 'ok') this.#turns.committed(lease, commit)
    return toLeaseReply(reply, lease)
  }

  /** How long a record lives after its last use; 0: until it is removed. */
  #ttlOf(kind: RecordKind): number {
    if (kind === 'conversation') return 0
    const { ttlMs, responseTtlMs = RESPONSE_TTL_MS } = this.#options
    return kind === 'response' ? responseTtlMs : ttlMs
  }

  async renew(lease: Lease, n: number): Promise<LeaseReply> {
    return toLeaseReply(await this.#run('renew', lease, leaseCall(lease).set('n', n)), lease)
  }

  async cancel(address: RecordAddress, turn?: number): Promise<CancelOutcome> {
    const call = this.#callOf(address).set('turn', turn).set('channel', this.#keys.cancels)
    const reply = await this.#run('cancel', address, call.set('kind', address.kind).set('id', address.id))
    assertOk(reply, address)
    const [, kind, number, status] = reply
    return { kind: knownWord(CANCELS, kind), turn: Number(number), status: toTurnStatus(status) }
  }

  onCancel(listener: Parameters<StateStore['onCancel']>[0]): () => void {
    return this.#news.onCancel(listener)
  }

  readonly turns: StateStore['turns'] = {
    read: async (address, turn) => {
      const reply = await this.#part(address, 'turn', (call) => call.set('turn', turn))
      return toTurnView(reply[1])
    },
  }

  readonly messages: StateStore['messages'] = {
    read: async (address, { context, from = 0, limit } = {}) => {
      const reply = await this.#part(address, 'messages', (call) =>
        call.set('context', context).set('from', from).set('limit', limit),
      )
      return toMessagePage(reply[1])
    },
  }

  readonly memory: StateStore['memory'] = {
    read: async (address) => toMap((await this.#part(address, 'memory'))[1]),
    set: async (address, key, value, { whenIdle } = {}) => {
      assertMemory(key, value)
      await this.#remember(address, 'set', (call) =>
        call.text('key', key).text('value', value).set('whenIdle', whenIdle).set('most', MAX_MEMORY_KEYS),
      )
    },
    delete: (address, key) => this.#remember(address, 'delete', (call) => call.text('key', key)),
    clear: (address) => this.#remember(address, 'clear', (call) => call),
  }

  readonly contexts: StateStore['contexts'] = {
    create: async (address, context, info) => {
      assertName('name of a context', context)
      return this.#edit(address, 'create', (call) =>
        call.set('context', context).text('info', stringifyJson(info)).set('most', MAX_CONTEXTS),
      )
    },
    update: (address, context, info) =>
      this.#edit(address, 'update', (call) => call.set('context', context).text('info', stringifyJson(info))),
    switch: (address, context) => this.#edit(address, 'switch', (call) => call.set('context', context)),
    destroy: (address, context) => this.#edit(address, 'destroy', (call) => call.set('context', context)),
  }

  readonly entries = {
    read: async (address: RecordAddress): Promise<ReadonlyMap<string, JsonValue>> =>
      toEntries((await this.#part(address, 'entries'))[1]),
  }

  readonly approvals: StateStore['approvals'] = {
    list: async (address) => toApprovals((await this.#part(address, 'approvals'))[1]),
    decide: async (address, id, { status, decision }) => {
      assertName('id of an approval', id)
      const call = this.#callOf(address).set('id', id).set('status', status)
      // With the last decision the turn continues, even if this process dies before that.
      if (address.kind === 'session') await this.#turns.sessions.add(address.id, id)
      const reply = await this.#run('decide', address, call.text('decision', canonicalJson(decision)))
      assertOk(reply, address)
      const [, pending, data] = reply
      return { approval: { id, status, data: toObject(data), decision }, pending: Number(pending) }
    },
  }

  readonly events: StateStore['events'] = {
    append: async (lease, batch) => {
      if (batch.events.length === 0) return
      assertOk(await this.#run('append', lease, addEvents(leaseCall(lease), lease, batch)), lease)
    },
    range: async (address, from, count) => {
      const page = await this.#readLog(address, from, count)
      if (page === undefined) throw refused('missing', address)
      return page.events
    },
    follow: (address, options) => this.#news.follow(address, options),
  }

  get openTurns(): StateStore['openTurns'] {
    return this.#turns.sessions
  }

  get openResponses(): StateStore['openResponses'] {
    return this.#turns.responses
  }

  async chain(address: RecordAddress, limit: number): Promise<readonly ChainLink[]> {
    const links: ChainLink[] = []
    for (let { id } = address; id !== ''; ) {
      if (links.length >= limit) throw refused('limit', address)
      const [root, rest] = [id.slice(0, ROOT_DIGITS), id.slice(ROOT_DIGITS)]
      const call = this.#callOf(address).set('root', root).set('rest', rest)
      const reply = await this.#run('chain', { ...address, id }, call.set('limit', limit - links.length))
      assertOk(reply, address)
      links.push(...toChainLinks(reply[1]))
      id = String(reply[2])
    }
    return links
  }

  get openTasks(): StateStore['openTasks'] {
    return this.#lists.openTasks
  }

  items(namespace: string): ItemState {
    return createRedisItems(this.#connection, this.#keys.items(namespace))
  }

  async #find(address: RecordAddress): Promise<FoundRecord> {
    const reply = await this.#run('read', address, this.#callOf(address))
    if (reply[0] === 'ok') return toRecordView(address, toHead(reply))
    return reply[0] === 'missing' ? 'gone' : 'unknown'
  }

  async #readLog(address: RecordAddress, from: string, count: number): Promise<LogPage | undefined> {
    const call = new ScriptCall().set('owner', address.owner).set('from', from).set('count', count)
    const reply = await this.#run('range', address, call)
    if (reply[0] !== 'ok') return undefined
    const events = toLoggedEvents(reply[2])
    return { events, last: String(reply[1]), full: events.length === count }
  }

  #callOf({ kind, owner }: RecordAddress): ScriptCall {
    const ttlMs = kind === 'task' ? 0 : this.#ttlOf(kind)
    return new ScriptCall().set('v', STATE_VERSION).set('owner', owner).set('ttl', ttlMs)
  }

  /** @param more keys behind those of the record */
  #run(
    name: ScriptName,
    address: RecordAddress,
    call: ScriptCall,
    ...more: readonly string[]
  ): Promise<ScriptReply> {
    assertRecordId(address)
    const keys = this.#keys.record(address.kind, address.id)
    return this.#connection.run(name, more.length === 0 ? keys : [...keys, ...more], call)
  }

  async #view(name: ScriptName, address: RecordAddress, call: ScriptCall): Promise<RecordView> {
    const reply = await this.#run(name, address, call)
    assertOk(reply, address)
    return toRecordView(address, toHead(reply))
  }

  async #part(
    address: RecordAddress,
    part: string,
    more: (call: ScriptCall) => ScriptCall = (call) => call,
  ): Promise<ScriptReply> {
    const reply = await this.#run('read', address, more(this.#callOf(address).set('part', part)))
    assertOk(reply, address)
    return reply
  }

  #edit(address: RecordAddress, change: string, more: (call: ScriptCall) => ScriptCall): Promise<RecordView> {
    return this.#view('edit', address, more(this.#callOf(address).set('change', change)))
  }

  async #remember(
    address: RecordAddress,
    change: string,
    more: (call: ScriptCall) => ScriptCall,
  ): Promise<void> {
    const call = more(this.#callOf(address).set('change', change))
    assertOk(await this.#run('remember', address, call), address)
  }
}

/** @throws ServiceError for every reply but `ok` */
function assertOk(reply: ScriptReply, address: RecordAddress): void {
  if (reply[0] !== 'ok') throw refused(readRefusal(reply[0]), address, String(reply[1] ?? ''))
}

function toLeaseReply(reply: ScriptReply, lease: Lease): LeaseReply {
  assertOk(reply, lease)
  return { cancelRequested: reply[1] === 1 }
}
