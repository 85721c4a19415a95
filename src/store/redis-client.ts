import type { Cluster, Command, Redis, RedisOptions } from 'ioredis'
import { backoffMs } from '../transport/resilience/backoff.js'
import { lazyPackage } from '../util/packages/lazy-package.js'
import type { RedisTarget } from './redis-url.js'

/** A catalog in a directory needs no client. */
const ioredis = lazyPackage<typeof import('ioredis')>('ioredis')

/** ioredis refuses its own option when it may be undefined. */
type ClientOptions = Omit<RedisOptions, 'replyMapping'>

export interface RedisTimings {
  /** Longest wait for a connection and for a reply. */
  readonly timeoutMs: number
  /** How often connections are tried: a reply must come within the time limit. */
  readonly heartbeatMs: number
  /** How often everything is loaded again if the server cannot report changes. */
  readonly pollMs: number
  /** Longest wait between two attempts to connect. */
  readonly maxReconnectMs: number
}

export const REDIS_TIMINGS: RedisTimings = {
  timeoutMs: 5_000,
  heartbeatMs: 1_000,
  pollMs: 5_000,
  maxReconnectMs: 1_000,
}

const FIRST_RECONNECT_MS = 20

/** How long to wait before the next attempt to connect; the first one is number 0. */
export function reconnectDelay(attempt: number, { maxReconnectMs }: RedisTimings): number {
  return backoffMs({ firstMs: FIRST_RECONNECT_MS, longestMs: maxReconnectMs }, attempt + 1)
}

/**
 * What every connection has in common. No rights are needed but those of the documents themselves: no INFO, no
 * CLIENT SETINFO. Commands fail at once while there is no connection: the mirror knows what to do then.
 */
function commonOptions(target: RedisTarget, timings: RedisTimings): ClientOptions {
  return {
    protocol: 2,
    lazyConnect: true,
    enableReadyCheck: false,
    disableClientInfo: true,
    enableOfflineQueue: false,
    autoResubscribe: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: timings.timeoutMs,
    ...(target.username === undefined ? {} : { username: target.username }),
    ...(target.password === undefined ? {} : { password: target.password }),
    ...(target.tls === undefined ? {} : { tls: target.tls }),
  }
}

/** Where the documents are in a topology with one master. */
function serverOptions(target: RedisTarget): ClientOptions {
  if (target.topology === 'standalone') return { ...target.addresses[0], db: target.database }
  return {
    sentinels: target.addresses.map(({ host, port }) => ({ host, port })),
    name: target.masterName,
    db: target.database,
    role: 'master',
    failoverDetector: true,
    updateSentinels: true,
    ...(target.sentinelUsername === undefined ? {} : { sentinelUsername: target.sentinelUsername }),
    ...(target.sentinelPassword === undefined ? {} : { sentinelPassword: target.sentinelPassword }),
    ...(target.tls === undefined ? {} : { enableTLSForSentinelMode: true, sentinelTLS: target.tls }),
  }
}

/** Connects again, as often as the connection is lost. */
function retrying(timings: RedisTimings): ClientOptions {
  const retry = (attempt: number) => reconnectDelay(attempt, timings)
  return { retryStrategy: retry, sentinelRetryStrategy: retry }
}

/** Ends when the connection is lost. */
const ONCE: ClientOptions = { retryStrategy: null, sentinelRetryStrategy: () => null }

function newClient(target: RedisTarget, timings: RedisTimings, options: ClientOptions): Redis {
  return quiet(new (ioredis().Redis)({ ...commonOptions(target, timings), ...options }))
}

/** The connection for commands to the one master: it connects again by itself. */
export function createCommandClient(target: RedisTarget, timings: RedisTimings): Redis {
  return newClient(target, timings, {
    ...serverOptions(target),
    ...retrying(timings),
    commandTimeout: timings.timeoutMs,
    connectionName: 'ai-prompt-shell',
  })
}

/**
 * MGET as buffers. Clears the command's arguments afterwards: commands of ioredis form a chain that survives minor GCs and
 * would keep all keys alive.
 */
export async function mget(client: Redis, keys: readonly string[]): Promise<(Buffer | null)[]> {
  const command = new (ioredis().Command)('mget', [...keys], { replyEncoding: null })
  const values = await client.sendCommand(command)
  command.args.length = 0
  return Array.isArray(values) ? values : []
}

/** The client's class of commands, for those who write theirs themselves. */
export function commandClass(): typeof Command {
  return ioredis().Command
}

/** A connection that changes are published on. It ends when it is lost: its owner opens the next one. */
export function createPushClient(target: RedisTarget, timings: RedisTimings, node?: Redis): Redis {
  const server = node === undefined ? serverOptions(target) : nodeOptions(node)
  return newClient(target, timings, { ...server, ...ONCE, connectionName: 'ai-prompt-shell-push' })
}

/** A connection for one piece of work, which fails at once when nothing is there. */
export function createWorkClient(target: RedisTarget, timings: RedisTimings): Redis {
  const server = serverOptions(target)
  return newClient(target, timings, { ...server, ...ONCE, connectionName: 'ai-prompt-shell-work' })
}

/** The connections of a cluster. */
export function createClusterClient(
  target: RedisTarget,
  timings: RedisTimings,
  retry: (attempt: number) => number | null = (attempt) => reconnectDelay(attempt, timings),
): Cluster {
  return newCluster(target, timings, {
    maxRedirections: 8,
    clusterRetryStrategy: retry,
    redisOptions: { ...commonOptions(target, timings), commandTimeout: timings.timeoutMs },
  })
}

interface OwnClusterOptions {
  readonly maxRedirections: number
  readonly clusterRetryStrategy: (attempt: number) => number | null
  readonly redisOptions: ClientOptions
}

/** What the clusters of the store and of state have in common: a failure is ours to see, and ours to try again. */
function newCluster(target: RedisTarget, timings: RedisTimings, options: OwnClusterOptions): Cluster {
  const nodes = target.addresses.map(({ host, port }) => ({ host, port }))
  const cluster = new (ioredis().Cluster)(nodes, {
    lazyConnect: true,
    enableReadyCheck: false,
    enableOfflineQueue: false,
    scaleReads: 'master',
    slotsRefreshInterval: timings.pollMs,
    slotsRefreshTimeout: timings.timeoutMs,
    retryDelayOnFailover: 50,
    retryDelayOnClusterDown: 50,
    ...options,
  })
  cluster.on('error', () => {})
  return cluster
}

/** How long state waits for a connection and for any sign of life while a reply is due: a frozen server gives none. */
export const STATE_TIMEOUT_MS = 1_500
/** The same for the queue of tasks; longer than a worker waits for work in one go. */
const QUEUE_TIMEOUT_MS = 4_000

const STATE_TIMINGS: RedisTimings = { ...REDIS_TIMINGS, timeoutMs: STATE_TIMEOUT_MS, maxReconnectMs: 250 }

/** Opens the connection for writing sessions and tasks, always to the master. The caller closes it. */
export function createStateClient(target: RedisTarget): Redis {
  return createWritingClient(target, {
    socketTimeout: STATE_TIMEOUT_MS,
    connectionName: 'ai-prompt-shell-state',
  })
}

/** The connections on which sessions and tasks are written in a cluster. */
export function createStateCluster(target: RedisTarget): Cluster {
  return newCluster(target, STATE_TIMINGS, {
    // A slot that moves refuses scripts until all keys of the record have moved.
    maxRedirections: 300,
    clusterRetryStrategy: (attempt) => reconnectDelay(attempt, STATE_TIMINGS),
    redisOptions: { ...commonOptions(target, STATE_TIMINGS), socketTimeout: STATE_TIMEOUT_MS },
  })
}

/**
 * The connections of the queue of tasks: commands wait for the server, and reads that block have time for it.
 */
export function createQueueClient(target: RedisTarget): Redis | Cluster {
  const options = {
    maxRetriesPerRequest: null,
    enableOfflineQueue: true,
    // With retries without end, what is on its way when the connection breaks would otherwise never be answered.
    autoResendUnfulfilledCommands: true,
    lazyConnect: false,
    socketTimeout: QUEUE_TIMEOUT_MS,
    connectionName: 'ai-prompt-shell-queue',
  } as const
  if (target.topology === 'cluster') {
    const nodes = target.addresses.map(({ host, port }) => ({ host, port }))
    const redisOptions = { ...commonOptions(target, STATE_TIMINGS), ...options }
    const cluster = new (ioredis().Cluster)(nodes, {
      maxRedirections: 300,
      scaleReads: 'master',
      redisOptions,
    })
    cluster.on('error', () => {})
    return cluster
  }
  return createWritingClient(target, options)
}

/**
 * A master that became a replica refuses to write: the master is elsewhere now. It is left once, however many commands
 * it refuses, for ioredis takes another listener each time.
 */
function createWritingClient(target: RedisTarget, options: ClientOptions): Redis {
  let isLeaving = false
  const client = newClient(target, STATE_TIMINGS, {
    ...serverOptions(target),
    ...retrying(STATE_TIMINGS),
    ...options,
    reconnectOnError(error) {
      if (isLeaving || target.topology !== 'sentinel' || !error.message.startsWith('READONLY')) return false
      isLeaving = true
      return true
    },
  })
  client.on('ready', () => {
    isLeaving = false
  })
  return client
}

/** A connection for subscriptions of state. It ends when it is lost: its owner opens the next one. */
export function createStateSubscriber(target: RedisTarget, node?: Redis): Redis {
  return createPushClient(target, STATE_TIMINGS, node)
}

function nodeOptions({ options }: Redis): ClientOptions {
  const { host, port } = options
  return { ...(host === undefined ? {} : { host }), ...(port === undefined ? {} : { port }) }
}

/** Errors of a connection show as its end; without a listener they would be printed. */
function quiet(client: Redis): Redis {
  client.on('error', () => {})
  return client
}
