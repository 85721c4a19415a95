import type { Cluster, Command, Redis, RedisOptions } from 'ioredis'
import { lazyPackage } from '../util/packages/lazy-package.js'
import { type RedisTimings, reconnectDelay } from './redis-timings.js'
import type { RedisAddress, RedisTarget } from './redis-url.js'

/** A catalog in a directory needs no client. */
const ioredis = lazyPackage<typeof import('ioredis')>('ioredis')

/** ioredis refuses its own option when it may be undefined. */
export type RedisClientOptions = Omit<RedisOptions, 'replyMapping'>

/**
 * What every connection has in common. No rights are needed but those of the documents themselves: no INFO, no
 * CLIENT SETINFO. Commands fail at once while there is no connection: the mirror knows what to do then.
 */
export function commonOptions(target: RedisTarget, timings: RedisTimings): RedisClientOptions {
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
export function serverOptions(target: RedisTarget): RedisClientOptions {
  if (target.topology === 'standalone') return { ...target.addresses[0], db: target.database }
  return {
    sentinels: nodesOf(target),
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
export function retrying(timings: RedisTimings): RedisClientOptions {
  const retry = (attempt: number) => reconnectDelay(attempt, timings)
  return { retryStrategy: retry, sentinelRetryStrategy: retry }
}

/** Ends when the connection is lost. */
export const ONCE: RedisClientOptions = { retryStrategy: null, sentinelRetryStrategy: () => null }

/** A connection with these options beside what every connection has. It does not connect by itself: `connect` does. */
export function newClient(target: RedisTarget, timings: RedisTimings, options: RedisClientOptions): Redis {
  return quiet(new (ioredis().Redis)({ ...commonOptions(target, timings), ...options }))
}

/** What clusters differ in. */
export interface OwnClusterOptions {
  readonly maxRedirections: number
  readonly clusterRetryStrategy: (attempt: number) => number | null
  readonly redisOptions: RedisClientOptions
}

/** The connections of a cluster, for the store and for state: a failure is reported to them, and they try again. */
export function newCluster(target: RedisTarget, timings: RedisTimings, options: OwnClusterOptions): Cluster {
  const cluster = new (ioredis().Cluster)(nodesOf(target), {
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

/** The servers that a url names, as the client takes them. */
export function nodesOf({ addresses }: RedisTarget): RedisAddress[] {
  return addresses.map(({ host, port }) => ({ host, port }))
}

/** The address of a node that the client of a cluster found. */
export function nodeOptions({ options }: Redis): RedisClientOptions {
  const { host, port } = options
  return { ...(host === undefined ? {} : { host }), ...(port === undefined ? {} : { port }) }
}

/** The client's class of commands, for callers that write their own. */
export function commandClass(): typeof Command {
  return ioredis().Command
}

/** The client's class of clusters, for callers that share no option with the others. */
export function clusterClass(): typeof Cluster {
  return ioredis().Cluster
}

/** Errors of a connection show as its end; without a listener they would be printed. */
function quiet(client: Redis): Redis {
  client.on('error', () => {})
  return client
}
