import { at } from '../util/at.js'
import type { Clock } from '../util/time/clock.js'
import type { BeginRequest, Commit, Lease } from './contract/lease-state.js'
import type { RecordAddress, RecordKind } from './contract/record-state.js'
import type { OpenTurns } from './contract/turn-state.js'
import type { RedisConnection } from './redis-connection.js'
import { RedisIndex } from './redis-index.js'
import type { FoundRecord } from './redis-lists.js'
import type { ScriptCall } from './script-call.js'
import type { StateKeys } from './state-keys.js'

/** How open turns of any kind are named, and those found that nobody runs. */
interface OpenTurnsOptions {
  readonly connection: RedisConnection
  readonly leaseMs: number
  readonly clock: Clock
  /** Looks at one record. */
  readonly find: (address: RecordAddress) => Promise<FoundRecord>
  /** Notified of writes that nobody waits for. */
  readonly onFailure: (error: unknown) => void
}

/** Of turns of one kind. */
interface RedisTurnsOptions extends OpenTurnsOptions {
  /** What the turns belong to, and the set in which they are named. */
  readonly kind: RecordKind
  readonly key: string
  /** How long the set stays when nothing is named. */
  readonly ttlMs: number
  /** Whether no approval of the session is pending. */
  readonly isDecided: (address: RecordAddress) => Promise<boolean>
}

/** How open turns of sessions and of responses are named. */
export interface RedisOpenTurnsOptions extends OpenTurnsOptions {
  readonly keys: StateKeys
  readonly ttlOf: (kind: RecordKind) => number
  /** Whether no approval of the session is pending. */
  readonly isDecided: RedisTurnsOptions['isDecided']
}

/** The open turns of sessions and of responses; nobody looks after those of other records. */
export class RedisOpenTurns {
  readonly sessions: RedisTurns
  readonly responses: RedisTurns
  readonly #options: RedisOpenTurnsOptions

  constructor(options: RedisOpenTurnsOptions) {
    const { connection, keys, leaseMs, clock, find, onFailure, ttlOf, isDecided } = options
    const turns = { connection, leaseMs, clock, find, onFailure }
    this.#options = options
    this.sessions = new RedisTurns({
      ...{ ...turns, isDecided, kind: 'session' },
      ...{ key: keys.openTurns, ttlMs: ttlOf('session') },
    })
    this.responses = new RedisTurns({
      ...{ ...turns, isDecided: async () => false, kind: 'response' },
      ...{ key: keys.openResponses, ttlMs: ttlOf('response') },
    })
  }

  /**
   * A process that dies at once has named its turn: the script does, and in a cluster, where it cannot, a command that is
   * sent before it.
   */
  name({ address, by }: Pick<BeginRequest, 'address' | 'by'>, call: ScriptCall): Promise<void> | undefined {
    const turns = this.#of(address.kind)
    if (turns === undefined) return undefined
    const { connection, ttlOf } = this.#options
    if (connection.isCluster) return turns.add(address.id, by)
    call.text('entry', openTurn(address.id, by)).set('keepOpen', ttlOf(address.kind))
    return undefined
  }

  /** In a cluster all keys of a script have to share a slot: there it is one of the record's own, and not used. */
  keyOf({ kind, id }: RecordAddress): string {
    const { connection, keys } = this.#options
    if (connection.isCluster) return at(keys.record(kind, id), 0)
    return kind === 'response' ? keys.openResponses : keys.openTurns
  }

  /** The attempt has not begun after all. */
  withdrawn({ address, by }: Pick<BeginRequest, 'address' | 'by'>): void {
    this.#of(address.kind)?.ended(address.id, by)
  }

  /** Nobody looks after a turn that is over or waits for a person, and somebody soon after one that was given back. */
  committed({ kind, id, by }: Lease, { release, turn }: Commit): void {
    const turns = this.#of(kind)
    if (release === true) void turns?.add(id, by, 0)
    else if (turn?.status !== undefined && turn.status !== 'running') turns?.ended(id, by)
  }

  /** As {@link RedisTurns.flush}. */
  async flush(): Promise<void> {
    await Promise.all([this.sessions.flush(), this.responses.flush()])
  }

  #of(kind: RecordKind): RedisTurns | undefined {
    if (kind === 'session') return this.sessions
    return kind === 'response' ? this.responses : undefined
  }
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
class RedisTurns implements OpenTurns {
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
function openTurn(session: string, attempt: string): string {
  return `${session} ${attempt}`
}
