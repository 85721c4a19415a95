import { getOrCreate } from '../util/get-or-create.js'
import type {
  CreateRequest,
  RecordAddress,
  RecordKind,
  RecordPage,
  RecordQuery,
  RecordView,
} from './contract/record-state.js'
import type { OpenTasks } from './contract/turn-state.js'
import { TASK_CHECK_MS } from './limits.js'
import { formatListCursor, parseListCursor } from './list-cursor.js'
import type { RedisConnection } from './redis-connection.js'
import { type ListUse, RedisIndex } from './redis-index.js'
import type { StateKeys } from './state-keys.js'

/** What a record is found to be: `gone`: no such record, `unknown`: it cannot be said now. */
export type FoundRecord = RecordView | 'gone' | 'unknown'

/** Where lists lie and how long what they name stays. */
export interface RedisListsOptions {
  readonly connection: RedisConnection
  readonly keys: StateKeys
  /** How long a record of a kind stays in its list after its last use. */
  readonly ttlOf: (kind: RecordKind) => number
  /** When a new task is first looked for by the sweep. Default 30,000. */
  readonly taskCheckMs?: number | undefined
  /** Looks at one record. */
  readonly find: (address: RecordAddress) => Promise<FoundRecord>
  /** Notified of writes that nobody waits for. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Which records there are, by kind and owner, the last used first, and which tasks are open. Lists lie apart from the
 * records that they name and may be a moment behind them: what is listed and gone is listed no more.
 */
export class RedisLists {
  readonly #options: RedisListsOptions
  readonly #open: RedisIndex
  readonly #touches: ListTouches
  /** Responses, by when they were made. */
  readonly #made: ListTouches

  constructor(options: RedisListsOptions) {
    this.#options = options
    this.#open = new RedisIndex(options.connection, options.keys.openTasks)
    this.#touches = this.#gathering('session')
    this.#made = this.#gathering('response')
  }

  /** Before a record is made: a task that is made but not named would be lost, one that is only named is forgotten. */
  async announce({ kind, id }: CreateRequest): Promise<void> {
    if (kind === 'task') await this.#open.put([[id, 0]], this.#options.taskCheckMs ?? TASK_CHECK_MS)
  }

  async add({ kind, id, owner }: CreateRequest): Promise<void> {
    const ttlMs = this.#options.ttlOf(kind)
    await this.#list(kind, owner).put([[id, 0]], ttlMs, ttlMs)
  }

  /** A response was made: its list is written soon, and nobody waits for it. */
  made({ kind, id, owner }: RecordView): void {
    this.#made.add(this.#options.keys.list(kind, owner), id)
  }

  /** It was used: the list is written soon, and nobody waits for it. */
  touch({ kind, id, owner }: RecordView): void {
    // Those are listed by when they were made.
    if (kind === 'response' || kind === 'conversation') return
    this.#touches.add(this.#options.keys.list(kind, owner), id)
  }

  async remove({ kind, id, owner }: RecordView): Promise<void> {
    const key = this.#options.keys.list(kind, owner)
    this.#touches.forget(key, id)
    this.#made.forget(key, id)
    await this.#list(kind, owner).drop(id)
  }

  /** A task is over; nobody waits for it. */
  ended(id: string): void {
    this.#open.drop(id).catch(this.#options.onFailure)
  }

  /** @throws ServiceError `invalid_request` for a cursor that no page gave */
  async page({ kind, owner, limit, cursor }: RecordQuery): Promise<RecordPage> {
    await this.flush()
    const index = this.#list(kind, owner)
    const from = cursor === undefined ? undefined : parseListCursor(cursor)
    const { total, entries } = await index.page(limit, from)
    const found = await Promise.all(entries.map(({ id }) => this.#findListed({ kind, id, owner }, index)))
    const records = found.filter((record) => record !== undefined)
    const last = entries.at(-1)
    if (last === undefined || entries.length < limit) return { records, total }
    return { records, total, nextCursor: formatListCursor(last) }
  }

  readonly openTasks: OpenTasks = {
    due: async (limit, againMs) => {
      const ids = await this.#open.due(limit, againMs)
      const open = await Promise.all(ids.map((id) => this.#isOpen(id)))
      return ids.filter((_, index) => open[index])
    },
  }

  /** Writes what is gathered. Never rejects. */
  async flush(): Promise<void> {
    await Promise.all([this.#touches.flush(), this.#made.flush()])
  }

  #gathering(kind: RecordKind): ListTouches {
    const { ttlOf, onFailure } = this.#options
    const write = async (key: string, uses: readonly ListUse[]) => {
      const ttlMs = ttlOf(kind)
      await this.#listUnder(key).put(uses, ttlMs, ttlMs)
    }
    return new ListTouches({ write, now: () => performance.now(), onFailure })
  }

  async #findListed(address: RecordAddress, index: RedisIndex): Promise<RecordView | undefined> {
    const found = await this.#options.find(address)
    if (found === 'gone') await index.drop(address.id)
    return typeof found === 'string' ? undefined : found
  }

  async #isOpen(id: string): Promise<boolean> {
    const found = await this.#options.find({ kind: 'task', id })
    if (found === 'unknown') return false
    if (found !== 'gone' && found.status !== 'idle') {
      this.touch(found)
      return true
    }
    await this.#open.drop(id)
    return false
  }

  #list(kind: RecordKind, owner: string): RedisIndex {
    return this.#listUnder(this.#options.keys.list(kind, owner))
  }

  #listUnder(key: string): RedisIndex {
    return new RedisIndex(this.#options.connection, key)
  }
}

/** How long uses are gathered: lists are a moment behind their records. */
const GATHER_MS = 100

/** What gathers uses of records and how it writes them. */
export interface ListTouchesOptions {
  /** Writes uses into the list under a key. */
  readonly write: (list: string, uses: readonly ListUse[]) => Promise<void>
  /** Monotonous milliseconds. */
  readonly now: () => number
  readonly onFailure: (error: unknown) => void
}

/**
 * Uses of records, collected for the lists that contain them: one write for all of a list's that were used in a moment, in
 * place of one beside every turn, which the turn's own writes would have to wait for.
 */
export class ListTouches {
  readonly #options: ListTouchesOptions
  /** When records were last used, by list and id. */
  #used = new Map<string, Map<string, number>>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: ListTouchesOptions) {
    this.#options = options
  }

  add(list: string, id: string): void {
    getOrCreate(this.#used, list, () => new Map()).set(id, this.#options.now())
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS)
  }

  /** What is gone is not listed again. */
  forget(list: string, id: string): void {
    this.#used.get(list)?.delete(id)
  }

  /** Writes what was gathered. Never rejects: the next use of a record repairs what is missed. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const used = this.#used
    this.#used = new Map()
    await Promise.all([...used].map(([list, uses]) => this.#write(list, uses)))
  }

  async #write(list: string, uses: ReadonlyMap<string, number>): Promise<void> {
    if (uses.size === 0) return
    const { write, now, onFailure } = this.#options
    const written = now()
    const ages = [...uses].map(([id, used]): ListUse => [id, Math.round(written - used)])
    await write(list, ages).catch(onFailure)
  }
}
