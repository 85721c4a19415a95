import type { Redis } from 'ioredis'
import { type RedisTimings, reconnectDelay } from '../redis/redis-timings.js'
import { errorMessage } from '../util/errors/error-message.js'
import { pause } from '../util/slices/pause.js'
import { withTimeout } from '../util/time/time-limits.js'
import { escapeGlob, keyText } from './redis-keys.js'

/** How a server reports changes, best first. */
export type PushMode = 'tracking' | 'keyspace' | 'polling'

export interface PushOptions {
  readonly prefixes: readonly string[]
  readonly database: number
  readonly timings: RedisTimings
  readonly connect: () => Redis
  /** Names of changed keys; null means that any key may have changed. */
  readonly onKeys: (keys: readonly string[] | null) => void
  /** Called when notifications of changes start or resume. */
  readonly onUp: (mode: PushMode) => void
  readonly onDown: (reason: string) => void
}

const INVALIDATE = '__redis__:invalidate'

/** Changed keys to report at once; larger batches are reported with pauses for other work. */
const TOLD_AT_ONCE = 1_000

/** What the server has to notify about: keyspace events of strings, generic commands, expiry and eviction. */
const NEEDED_FLAGS = ['g', '$', 'x', 'e'] as const

/**
 * One connection on which a server reports changes. It turns tracking on for itself, redirected to itself: so the
 * tracking and the telling live and die together, and a lost connection cannot go unnoticed.
 */
export class PushConnection {
  readonly #options: PushOptions
  #client: Redis | undefined
  #mode: PushMode | undefined
  #attempt = 0
  #heartbeat: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined
  #closed = false
  #telling: Promise<void> = Promise.resolve()

  constructor(options: PushOptions) {
    this.#options = options
  }

  get mode(): PushMode | undefined {
    return this.#mode
  }

  /** Connects; resolves after the first attempt, successful or not. Reconnects until closed. */
  async open(): Promise<void> {
    const client = this.#options.connect()
    this.#client = client
    client.once('end', () => this.#ended(client, 'the push connection was lost'))
    try {
      await withTimeout(client.connect(), this.#options.timings.timeoutMs)
      this.#mode = await withTimeout(this.#enable(client), this.#options.timings.timeoutMs)
      this.#attempt = 0
      this.#beat(client)
      if (!this.#closed) this.#options.onUp(this.#mode)
    } catch (error) {
      this.#ended(client, errorMessage(error))
    }
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#heartbeat)
    clearTimeout(this.#retry)
    this.#client?.disconnect()
  }

  #ended(client: Redis, reason: string): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#mode = undefined
    clearTimeout(this.#heartbeat)
    client.disconnect()
    if (this.#closed) return
    this.#options.onDown(reason)
    const delay = reconnectDelay(this.#attempt, this.#options.timings)
    this.#attempt += 1
    this.#retry = setTimeout(() => void this.open(), delay)
  }

  /** A connection whose other end is gone answers nothing and reports nothing: only a question finds out. */
  #beat(client: Redis): void {
    const { heartbeatMs, timeoutMs } = this.#options.timings
    this.#heartbeat = setTimeout(() => {
      withTimeout(client.ping(), Math.min(timeoutMs, Math.max(heartbeatMs, 500))).then(
        () => this.#client === client && this.#beat(client),
        () => this.#ended(client, 'the push connection does not answer'),
      )
    }, heartbeatMs)
  }

  async #enable(client: Redis): Promise<PushMode> {
    if (await accepted(() => this.#track(client))) return 'tracking'
    if (await accepted(() => this.#subscribeKeyspace(client))) return 'keyspace'
    return 'polling'
  }

  async #track(client: Redis): Promise<boolean> {
    const id = await client.client('ID')
    const prefixes = this.#options.prefixes.flatMap((prefix) => ['PREFIX', prefix])
    client.on('messageBuffer', (channel: Buffer, keys: unknown) => this.#invalidated(channel, keys))
    await client.call('CLIENT', 'TRACKING', 'ON', 'REDIRECT', String(id), 'BCAST', ...prefixes)
    await client.subscribe(INVALIDATE)
    return true
  }

  /** The payload is an array of keys, or null for all of them; a form that joins the keys would be ambiguous. */
  #invalidated(channel: Buffer, keys: unknown): void {
    if (channel.toString() !== INVALIDATE) return
    if (!Array.isArray(keys)) {
      this.#options.onKeys(null)
      return
    }
    if (keys.length <= TOLD_AT_ONCE) this.#tell(keys)
    else this.#telling = this.#telling.then(() => this.#tellInPieces(keys))
  }

  #tell(keys: readonly unknown[]): void {
    this.#options.onKeys(keys.flatMap((key) => (Buffer.isBuffer(key) ? (keyText(key) ?? []) : [])))
  }

  /** One command may change very many keys, which come in one message. */
  async #tellInPieces(keys: readonly unknown[]): Promise<void> {
    for (let start = 0; start < keys.length && !this.#closed; start += TOLD_AT_ONCE) {
      this.#tell(keys.slice(start, start + TOLD_AT_ONCE))
      await pause()
    }
  }

  async #subscribeKeyspace(client: Redis): Promise<boolean> {
    if (!(await notifies(client))) return false
    const channel = `__keyspace@${this.#options.database}__:`
    client.on('pmessageBuffer', (_pattern: unknown, name: Buffer) => {
      const key = keyText(name.subarray(channel.length))
      if (key !== undefined) this.#options.onKeys([key])
    })
    await client.psubscribe(...this.#options.prefixes.map((prefix) => `${escapeGlob(channel + prefix)}*`))
    return true
  }
}

/** True if the server is configured to send the notifications. Without the right to ask, it counts as not configured. */
async function notifies(client: Redis): Promise<boolean> {
  const reply = await client.config('GET', 'notify-keyspace-events')
  const flags = String(Array.isArray(reply) ? reply[1] : '')
  return flags.includes('K') && (flags.includes('A') || NEEDED_FLAGS.every((flag) => flags.includes(flag)))
}

/** What the work says; false when the server refuses it; a lost connection still throws. */
async function accepted(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError') return false
    throw error
  }
}
