import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster, Redis } from 'ioredis'
import { ServiceError } from '../errors.js'
import { connectAfterEnd } from '../redis/connect-after-end.js'
import { commandClass } from '../redis/new-client.js'
import { REDIS_TIMINGS } from '../redis/redis-timings.js'
import type { RedisTarget } from '../redis/redis-url.js'
import {
  createStateClient,
  createStateCluster,
  createStateSubscriber,
} from '../redis/writing/state-clients.js'
import { type Backoff, backoffMs } from '../transport/resilience/backoff.js'
import { keyed } from '../util/at.js'
import { errorMessage } from '../util/errors/error-message.js'
import { SCRIPTS, type ScriptName } from './redis-scripts.js'
import type { ScriptCall } from './script-call.js'
import { unavailable } from './state-errors.js'

/** What a script answers: `ok` or the name of a refusal, and what belongs to it. */
export type ScriptReply = readonly [string, ...unknown[]]

/** The client takes all arguments as one list. */
type ScriptCommand = (args: readonly string[]) => Promise<ScriptReply>

/** How long one operation is tried again while the server cannot be reached. */
const PATIENCE_MS = 2_000
const PAUSES: Backoff = { firstMs: 20, longestMs: 250 }

/** Refusals of the server that a repetition does not change soon. */
const HOPELESS = /^(NOPERM|NOAUTH|WRONGPASS|OOM|MISCONF|DENIED)\b/
/** Missing rights show inside a script like this, without a code. */
const MISSING_RIGHT = /The user executing the script can't [^:]*/
const NO_CONNECTION = /^(Stream isn't writeable|Connection is closed)/
/** Refusals that pass: a failover, a restart, a cluster that recovers by itself, scripts that somebody has removed. */
const PASSING = /^(NOSCRIPT|LOADING|CLUSTERDOWN|READONLY|TRYAGAIN|MASTERDOWN|NOREPLICAS|BUSY|MOVED|ASK)\b/

/** How a server names the scripts that it has. */
const DIGESTS: ReadonlyMap<string, string> = new Map(
  Object.entries(SCRIPTS).map(([name, { lua }]) => [name, createHash('sha1').update(lua).digest('hex')]),
)

/**
 * The connections on which state is written: one server, a master behind sentinels, or a cluster. Every operation is
 * safe to repeat, so one whose reply is lost is sent again, for a while.
 */
export class RedisConnection {
  readonly client: Redis | Cluster
  readonly #target: RedisTarget
  readonly #onUnavailable: (error: ServiceError) => void
  readonly #keepAlive: { stop(): void } | undefined
  #node = 0
  /** Commands wait for the end of this turn of the event loop. */
  #gathers = false
  /** Scripts that the one server has from this connection: they are sent by their digest. */
  readonly #loaded = new Set<ScriptName>()
  readonly #write = commandWriter()

  /** @param onUnavailable called with the error of an operation that was given up */
  constructor(target: RedisTarget, onUnavailable: (error: ServiceError) => void = () => {}) {
    this.#target = target
    this.#onUnavailable = onUnavailable
    const client = target.topology === 'cluster' ? createStateCluster(target) : createStateClient(target)
    if ('nodes' in client) defineScripts(client)
    else client.on('ready', () => this.#loaded.clear())
    this.client = client
    this.#keepAlive = 'nodes' in client ? undefined : connectAfterEnd(client, REDIS_TIMINGS)
  }

  /** Connects; resolves after the first attempt, successful or not. */
  open(): Promise<void> {
    return this.client.connect().catch(() => {})
  }

  close(): void {
    this.#keepAlive?.stop()
    this.client.disconnect()
  }

  /** Whether keys lie on several servers, and a script's on one of them. */
  get isCluster(): boolean {
    return 'nodes' in this.client
  }

  /** True while commands can be sent. */
  get connected(): boolean {
    return this.client.status === 'ready'
  }

  /** A connection for subscriptions. In a cluster it tries each node in turn, since every node forwards all messages. */
  connectSubscriber(): Redis | undefined {
    if (!('nodes' in this.client)) return createStateSubscriber(this.#target)
    const nodes = this.client.nodes('master')
    this.#node += 1
    const node = nodes[this.#node % Math.max(nodes.length, 1)]
    return node === undefined ? undefined : createStateSubscriber(this.#target, node)
  }

  /** Runs a script. @throws ServiceError `state_unavailable` */
  run(name: ScriptName, keys: readonly string[], call: ScriptCall): Promise<ScriptReply> {
    return this.repeat((again) => {
      this.#gather()
      return this.#runOnce(name, call.toArguments(keys, again))
    })
  }

  #runOnce(name: ScriptName, args: readonly string[]): Promise<ScriptReply> {
    const { client } = this
    if ('nodes' in client) return scriptOf(client, name).call(client, args)
    const { keys, lua } = SCRIPTS[name]
    const isLoaded = this.#loaded.has(name)
    this.#loaded.add(name)
    const [command, script] = isLoaded ? ['evalsha', keyed(DIGESTS, name)] : ['eval', lua]
    return this.#write(client, [command, script, String(keys), ...args])
  }

  /** Sends a plain command that may be sent twice. @throws as `run` */
  send<Result>(command: (client: Redis | Cluster) => Promise<Result>): Promise<Result> {
    return this.repeat(() => {
      this.#gather()
      return command(this.client)
    })
  }

  #told(error: Error): Error {
    if (error instanceof ServiceError && error.code === 'state_unavailable') this.#onUnavailable(error)
    return error
  }

  /** What is sent in one turn of the event loop leaves in one piece: a write to a socket costs more than all before it. */
  #gather(): void {
    if (this.#gathers || 'nodes' in this.client || !this.connected) return
    const { stream } = this.client
    this.#gathers = true
    stream.cork()
    process.nextTick(() => {
      this.#gathers = false
      stream.uncork()
    })
  }

  /** Does something that may be done twice, again and again while the server is away. @throws as `run` */
  async repeat<Result>(work: (again: boolean) => Promise<Result>): Promise<Result> {
    const end = performance.now() + PATIENCE_MS
    for (let failures = 0; ; ) {
      try {
        const attempt = work(failures > 0)
        // A cluster's client looks for a slot whose master is gone for longer than a caller waits.
        return await ('nodes' in this.client ? answeredBy(end, attempt) : attempt)
      } catch (error) {
        const refusal = toRefusal(error)
        if (refusal !== undefined) throw this.#told(refusal)
        // Of a server whose scripts are gone all are sent again.
        this.#loaded.clear()
        failures += 1
        const pause = backoffMs(PAUSES, failures)
        if (performance.now() + pause > end)
          throw this.#told(unavailable(scriptError(reasonOf(error)), error))
        await sleep(pause)
      }
    }
  }
}

/** What an attempt comes to by then. @throws ServiceError `state_unavailable` when it comes to nothing; as the attempt */
function answeredBy<Result>(end: number, attempt: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(unavailable('Redis Cluster does not answer in time'))
    const timer = setTimeout(giveUp, end - performance.now())
    attempt.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/**
 * Sends a command to one server, its name and its arguments, as bytes: a script's arguments are many, and the client's own
 * way takes each of them in its hands four times. Measured by the row `turn, Redis` of `test/bench/agents/pair.mjs`.
 */
function commandWriter(): (client: Redis, parts: readonly [string, ...string[]]) => Promise<ScriptReply> {
  class WrittenCommand extends commandClass() {
    #text = ''

    static of(parts: readonly [string, ...string[]]): WrittenCommand {
      const command = new WrittenCommand(parts[0], [], { replyEncoding: 'utf8' })
      let text = `*${parts.length}\r\n`
      for (const part of parts) text += `$${Buffer.byteLength(part)}\r\n${part}\r\n`
      command.#text = text
      return command
    }

    /** Once: what was sent is not kept. */
    override toWritable(): string {
      const text = this.#text
      this.#text = ''
      return text
    }
  }
  return (client, parts) => {
    const command = WrittenCommand.of(parts)
    client.sendCommand(command)
    return command.promise
  }
}

/** Names scripts to a client that knows by itself which server has them. */
function defineScripts(client: Cluster): void {
  for (const [name, { keys, lua }] of Object.entries(SCRIPTS))
    client.defineCommand(name, { numberOfKeys: keys, lua })
}

/** `defineCommand` adds methods that the client's type does not know. */
function scriptOf(client: object, name: ScriptName): ScriptCommand {
  const command: unknown = Reflect.get(client, name)
  if (isScript(command)) return command
  throw new TypeError(`no script named ${name} was defined`)
}

function isScript(command: unknown): command is ScriptCommand {
  return typeof command === 'function'
}

/** What a server's answer means for good; undefined when a repetition may help. */
function toRefusal(error: unknown): ServiceError | Error | undefined {
  if (error instanceof ServiceError) return error
  if (!(error instanceof Error) || error.name !== 'ReplyError') return undefined
  const text = scriptError(error.message)
  if (HOPELESS.test(text)) return unavailable(text, error)
  const right = MISSING_RIGHT.exec(text)?.[0]
  if (right !== undefined) return unavailable(`the Redis user lacks rights: ${right}`, error)
  return PASSING.test(text) ? undefined : error
}

/** A refusal inside a script comes with the script's own words around it, and its name. */
function scriptError(message: string): string {
  const refusal = /(?:NOPERM|OOM|MISCONF|READONLY|NOREPLICAS|CLUSTERDOWN)\b.*/.exec(message)?.[0] ?? message
  return refusal.replace(/,? ?script: [0-9a-f]{40}.*/, '')
}

/** What its client says of a server that is not there are words of the client. */
function reasonOf(error: unknown): string {
  const words = errorMessage(error)
  return NO_CONNECTION.test(words) ? 'Redis is not connected' : words
}
