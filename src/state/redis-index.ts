import type { RedisConnection, ScriptReply } from './redis-connection.js'
import { toMap, toTexts } from './redis-replies.js'
import { ScriptCall } from './script-call.js'

/** Ids that are dropped in one call: Lua's stack is limited. */
const MAX_DROPPED = 1_000

/** An id, and how many milliseconds ago it was used. */
export type ListUse = readonly [id: string, age: number]

/** One page of an index: ids, last first, each with the text of its time. */
export interface IndexPage {
  readonly total: number
  readonly entries: readonly { readonly id: string; readonly score: string }[]
}

/** Ids by a time, in one sorted set. It is stored apart from the records it names, so it may lag behind by a moment. */
export class RedisIndex {
  readonly #connection: RedisConnection
  readonly #key: string

  constructor(connection: RedisConnection, key: string) {
    this.#connection = connection
    this.#key = key
  }

  /**
   * Names ids until `afterMs` from when they were used, this many milliseconds ago; with `ttlMs` the whole index goes when
   * nothing is put for so long.
   *
   * @returns the time of Redis, in epoch milliseconds
   */
  async put(uses: readonly ListUse[], afterMs: number, ttlMs?: number): Promise<number> {
    const reply = await this.#run(
      new ScriptCall().set('change', 'put').set('uses', uses).set('after', afterMs).set('ttl', ttlMs),
    )
    return Number(reply[1])
  }

  /** Names one id until a moment of Redis' time, in epoch milliseconds: a plain command, which costs less than a script. */
  async putAt(id: string, at: number): Promise<void> {
    await this.#connection.send((client) => client.zadd(this.#key, Math.ceil(at), id))
  }

  /** Up to {@link MAX_DROPPED} at once. */
  async drop(...ids: readonly string[]): Promise<void> {
    for (let start = 0; start < ids.length; start += MAX_DROPPED) {
      const some = ids.slice(start, start + MAX_DROPPED)
      await this.#run(new ScriptCall().set('change', 'drop').set('ids', some))
    }
  }

  /** Ids whose time has come; they come again after `againMs`. */
  async due(limit: number, againMs: number): Promise<readonly string[]> {
    const reply = await this.#run(
      new ScriptCall().set('change', 'due').set('limit', limit).set('after', againMs),
    )
    return toTexts(reply[1])
  }

  /** Ids whose time has not come, after the entry that the cursor names. */
  async page(limit: number, cursor?: { readonly id: string; readonly score: string }): Promise<IndexPage> {
    const call = new ScriptCall().set('change', 'page').set('limit', limit)
    const reply = await this.#run(call.set('id', cursor?.id).set('score', cursor?.score))
    const entries = [...toMap(reply[2])].map(([id, score]) => ({ id, score }))
    return { total: Number(reply[1]), entries }
  }

  #run(call: ScriptCall): Promise<ScriptReply> {
    return this.#connection.run('index', [this.#key], call)
  }
}
