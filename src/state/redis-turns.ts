import type { Clock } from '../util/time/clock.js'
import type { RedisConnection } from './redis-connection.js'
import { RedisIndex } from './redis-index.js'
import type { FoundRecord } from './redis-lists.js'
import type { OpenTurns, RecordAddress, RecordKind } from './state-store.js'

/** Where open turns are named and how those that nobody runs are found. */
export interface RedisTurnsOptions {
  readonly connection: RedisConnection
  /** What the turns belong to, and the set in which they are named. */
  readonly kind: RecordKind
  readonly key: string
  readonly leaseMs: number
  readonly clock: Clock
  /** How long the set stays when nothing is named. */
  readonly ttlMs: number
  /** Looks at one record. */
  readonly find: (address: RecordAddress) => Promise<FoundRecord>
  /** Whether no approval of the session is pending. */
  readonly isDecided: (address: RecordAddress) => Promise<boolean>
  /** Notified of writes that nobody waits for. */
  readonly onFailure: (error: unknown) => void
}

/** How long ends of turns are gathered: a turn that has ended is looked at in vain until then. */
const GATHER_MS = 100
/** How long to derive the time of Redis from the local clock before asking Redis again. */
const ASK_AGAIN_MS = 60_000

/**
 * The open turns of sessions or of responses by the end of their lease, in one sorted set. Each attempt at a turn has an entry of its
 * own, written before the turn begins and dropped after it ends: the entry of one turn never goes with another's. What
 * renews a lease does not touch it: an entry whose time has come is looked at, and waits for the lease's new end.
 */
export class RedisTurns implements OpenTurns {
  readonly #options: RedisTurnsOptions
  readonly #index: RedisIndex
  #ended: string[] = []
  #timer: NodeJS.Timeout | undefined
  /** What the time of Redis was, and when, by this process's monotonic clock. */
  #asked: { readonly redisMs: number; readonly elapsed: number } | undefined

  constructor(options: RedisTurnsOptions) {
    this.#options = options
    this.#index = new RedisIndex(options.connection, options.key)
  }

  /** Names a turn that is about to begin, or has something to do after `afterMs`. Never rejects. */
  async add(session: string, attempt: string, afterMs = this.#options.leaseMs): Promise<void> {
    await this.#put(openTurn(session, attempt), afterMs).catch(this.#options.onFailure)
  }

  /** The attempt is over; nobody waits for it. */
  ended(session: string, attempt: string): void {
    this.#ended.push(openTurn(session, attempt))
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS)
  }

  async due(limit: number, againMs: number): Promise<readonly RecordAddress[]> {
    const entries = await this.#index.due(limit, againMs)
    const found = await Promise.all(entries.map((entry) => this.#look(entry)))
    return found.filter((address) => address !== undefined)
  }

  /** Writes what was gathered. Never rejects: an entry that stays is looked at once more. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const ended = this.#ended
    this.#ended = []
    if (ended.length > 0) await this.#index.drop(...ended).catch(this.#options.onFailure)
  }

  /** Most entries are one plain command with the time that Redis must have by now: being wrong costs one look. */
  async #put(entry: string, afterMs: number): Promise<void> {
    const { clock, ttlMs } = this.#options
    const passed = clock.elapsed() - (this.#asked?.elapsed ?? 0)
    if (this.#asked !== undefined && passed < ASK_AGAIN_MS)
      return this.#index.putAt(entry, this.#asked.redisMs + passed + afterMs)
    const redisMs = await this.#index.put([[entry, 0]], afterMs, ttlMs)
    this.#asked = { redisMs, elapsed: clock.elapsed() }
  }

  /** The record of an entry, if it needs somebody. */
  async #look(entry: string): Promise<RecordAddress | undefined> {
    const address: RecordAddress = { kind: this.#options.kind, id: entry.slice(0, entry.indexOf(' ')) }
    const found = await this.#options.find(address)
    if (found === 'unknown') return undefined
    const status = found === 'gone' ? 'idle' : found.status
    if (status === 'interrupted') return address
    if (status === 'paused' && (await this.#options.isDecided(address))) return address
    if (found !== 'gone' && status === 'running') await this.#put(entry, found.leasedForMs)
    else await this.#index.drop(entry)
    return undefined
  }
}

/** How one attempt at a turn is named in the set. */
export function openTurn(session: string, attempt: string): string {
  return `${session} ${attempt}`
}
