import { ServiceError } from '../errors.js'
import type { ApprovalState } from './contract/approval-state.js'
import type { ContextState, MemoryState, MessageState } from './contract/context-state.js'
import type { EventFollowOptions, EventState } from './contract/event-state.js'
import type { BeginOutcome, BeginRequest, CancelOutcome, Commit, Lease } from './contract/lease-state.js'
import type {
  ClaimRequest,
  CreateRequest,
  RecordAddress,
  RecordQuery,
  RecordView,
} from './contract/record-state.js'
import type { BegunRecord, BegunRequest } from './contract/response-state.js'
import type { TurnState } from './contract/turn-state.js'
import type { FollowedItem } from './logged-event.js'
import { storedName } from './record-name.js'
import type { StateStore } from './state-store.js'

/** Ids that the service makes. They are stored as they are: nobody else has chosen them. */
const MADE_HERE = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/**
 * A store in which the names of sessions belong to their owners: sessions of one name and different owners are different
 * sessions, and no owner finds out which names others have.
 *
 * Addresses with an owner have the name as clients know it. Views, grants and addresses without an owner have the id under
 * which the session is stored; `shownId` makes the name of it. Sessions that an earlier release stored under their plain
 * name are found by their owner.
 */
export function createOwnedSessions(store: StateStore): StateStore {
  return new OwnedSessions(store)
}

class OwnedSessions implements StateStore {
  readonly #store: StateStore

  constructor(store: StateStore) {
    this.#store = store
  }

  get status() {
    return this.#store.status
  }

  open(): Promise<void> {
    return this.#store.open()
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  async create(request: CreateRequest): Promise<RecordView> {
    const ids = idsOf(request)
    if (ids.length === 1) return this.#store.create(request)
    const { id } = await this.#locate(request, ids)
    try {
      return await this.#store.create({ ...request, id })
    } catch (error) {
      // A name that looks like an id of ours, and that another owner has.
      const isOwn = await this.#isThere({ ...request, id })
      const other = ids.find((each) => each !== id)
      if (!hasCode(error, 'already_exists') || isOwn || other === undefined) throw error
      return this.#store.create({ ...request, id: other })
    }
  }

  createBegun(request: BegunRequest): Promise<BegunRecord> {
    return this.#store.createBegun(request)
  }

  read(address: RecordAddress): Promise<RecordView> {
    return this.#at(address, (stored) => this.#store.read(stored))
  }

  update(address: RecordAddress, head: RecordView['head']): Promise<RecordView> {
    return this.#at(address, (stored) => this.#store.update(stored, head))
  }

  list(query: RecordQuery) {
    return this.#store.list(query)
  }

  remove(address: RecordAddress): Promise<void> {
    return this.#at(address, (stored) => this.#store.remove(stored))
  }

  claim(request: ClaimRequest) {
    return this.#store.claim(request)
  }

  begin(request: BeginRequest): Promise<BeginOutcome> {
    return this.#at(request.address, (address) => this.#store.begin({ ...request, address }))
  }

  commit(lease: Lease, commit: Commit) {
    return this.#store.commit(lease, commit)
  }

  renew(lease: Lease, n: number) {
    return this.#store.renew(lease, n)
  }

  cancel(address: RecordAddress, turn?: number): Promise<CancelOutcome> {
    return this.#at(address, (stored) => this.#store.cancel(stored, turn))
  }

  onCancel(listener: Parameters<StateStore['onCancel']>[0]): () => void {
    return this.#store.onCancel(listener)
  }

  readonly turns: TurnState = {
    read: (address, turn) => this.#at(address, (stored) => this.#store.turns.read(stored, turn)),
  }

  readonly messages: MessageState = {
    read: (address, range) => this.#at(address, (stored) => this.#store.messages.read(stored, range)),
  }

  readonly memory: MemoryState = {
    read: (address) => this.#at(address, (stored) => this.#store.memory.read(stored)),
    set: (address, key, value, options) =>
      this.#at(address, (stored) => this.#store.memory.set(stored, key, value, options)),
    delete: (address, key) => this.#at(address, (stored) => this.#store.memory.delete(stored, key)),
    clear: (address) => this.#at(address, (stored) => this.#store.memory.clear(stored)),
  }

  readonly contexts: ContextState = {
    create: (address, context, info) =>
      this.#at(address, (stored) => this.#store.contexts.create(stored, context, info)),
    update: (address, context, info) =>
      this.#at(address, (stored) => this.#store.contexts.update(stored, context, info)),
    switch: (address, context) => this.#at(address, (stored) => this.#store.contexts.switch(stored, context)),
    destroy: (address, context) =>
      this.#at(address, (stored) => this.#store.contexts.destroy(stored, context)),
  }

  readonly entries: StateStore['entries'] = {
    read: (address) => this.#at(address, (stored) => this.#store.entries.read(stored)),
  }

  readonly approvals: ApprovalState = {
    list: (address) => this.#at(address, (stored) => this.#store.approvals.list(stored)),
    decide: (address, id, decision) =>
      this.#at(address, (stored) => this.#store.approvals.decide(stored, id, decision)),
  }

  readonly events: EventState = {
    append: (lease, batch) => this.#store.events.append(lease, batch),
    range: (address, from, count) =>
      this.#at(address, (stored) => this.#store.events.range(stored, from, count)),
    follow: (address, options) => this.#follow(address, options),
  }

  get openTasks(): StateStore['openTasks'] {
    return this.#store.openTasks
  }

  get openTurns(): StateStore['openTurns'] {
    return this.#store.openTurns
  }

  get openResponses(): StateStore['openResponses'] {
    return this.#store.openResponses
  }

  chain(address: RecordAddress, limit: number) {
    return this.#store.chain(address, limit)
  }

  items(namespace: string) {
    return this.#store.items(namespace)
  }

  #follow(address: RecordAddress, options: EventFollowOptions): AsyncIterable<FollowedItem> {
    const ids = idsOf(address)
    return ids.length === 1
      ? this.#store.events.follow(address, options)
      : this.#followFound(address, options, ids)
  }

  async *#followFound(
    address: RecordAddress,
    options: EventFollowOptions,
    ids: readonly string[],
  ): AsyncGenerator<FollowedItem> {
    yield* this.#store.events.follow(await this.#locate(address, ids), options)
  }

  /** Does something with a record, under the first of its ids under which there is one. */
  async #at<Result>(
    address: RecordAddress,
    work: (stored: RecordAddress) => Promise<Result>,
  ): Promise<Result> {
    const [id = address.id, ...others] = idsOf(address)
    try {
      return await work({ ...address, id })
    } catch (error) {
      const [other] = others
      if (other === undefined || !hasCode(error, 'session_not_found')) throw error
      return work({ ...address, id: other })
    }
  }

  /** Where the record is, or would be made. */
  async #locate(address: RecordAddress, ids: readonly string[]): Promise<RecordAddress> {
    const found = await Promise.all(ids.map((id) => this.#isThere({ ...address, id })))
    return { ...address, id: ids[Math.max(0, found.indexOf(true))] ?? address.id }
  }

  async #isThere({ kind, id, owner }: RecordAddress): Promise<boolean> {
    try {
      await this.#store.read({ kind, id, owner })
      return true
    } catch (error) {
      if (hasCode(error, 'session_not_found')) return false
      throw error
    }
  }
}

/** The ids under which a record may be stored, the likeliest first. */
function idsOf({ kind, id, owner }: RecordAddress): readonly string[] {
  if (kind !== 'session' || owner === undefined) return [id]
  const stored = storedName(id, owner)
  if (stored === id) return [id]
  return MADE_HERE.test(id) ? [id, stored] : [stored, id]
}

function hasCode(error: unknown, code: ServiceError['code']): boolean {
  return error instanceof ServiceError && error.code === code
}
